/**
 * The proxy examples of deploy/proxy, run as they are: the service counts the client's own address, whatever
 * the client claims.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../deploy/proxy');
const isThere = (program: string, flag: string): boolean => spawnSync(program, [flag]).error === undefined;
const NGINX = isThere('nginx', '-v');
const CADDY = isThere('caddy', 'version');
/** Other loopback addresses than 127.0.0.1 can be sent from on Linux alone. */
const LINUX = process.platform === 'linux';

const folder = testFolder('proxy');
let server: ServeProcess | undefined;
after(() => server?.dispose());
const service = async (): Promise<ServeProcess> =>
  (server ??= await serveProcess({
    env: { PULSE_TRUSTED_PROXIES: '127.0.0.1', PULSE_ANON_PER_DAY: '100' },
  }));

/** Status and rest of the day, of a lookup that a client at `from` makes with a header of its own choice. */
async function lookup(
  port: number,
  from: string,
  claim: Readonly<Record<string, string>>,
): Promise<readonly [number, number]> {
  const asked = request({
    host: '127.0.0.1',
    port,
    path: '/v1/ip/8.8.8.8',
    localAddress: from,
    headers: claim,
    agent: false,
  }).end();
  const [answer] = (await once(asked, 'response')) as [import('node:http').IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return [answer.statusCode!, Number(answer.headers['x-daily-remaining'])];
}

/** Waits for the proxy, then asks as two clients that each claim to be others. */
async function expectOwnAddresses(
  t: TestContext,
  proxy: ChildProcess,
  port: number,
  [one, other]: readonly [string, string],
): Promise<void> {
  let said = '';
  for (const stream of [proxy.stdout!, proxy.stderr!]) stream.on('data', (chunk) => (said += String(chunk)));
  t.after(async () => {
    proxy.kill('SIGTERM');
    if (proxy.exitCode === null && proxy.signalCode === null) await once(proxy, 'exit');
  });
  await eventually(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status === 200, { hint: () => said });
  const claims = [
    { 'x-forwarded-for': '203.0.113.7' },
    { 'x-forwarded-for': `${other}, 127.0.0.1` },
    { 'x-real-ip': other, forwarded: `for=${other}` },
  ];
  const left: (readonly [number, number])[] = [];
  for (const claim of claims) left.push(await lookup(port, one, claim));
  assert.deepEqual(left, [
    [200, 99],
    [200, 98],
    [200, 97],
  ]);
  assert.deepEqual(await lookup(port, other, {}), [200, 99]);
}

describe('proxy examples', () => {
  test('nginx takes the example as it is', { skip: NGINX ? false : 'nginx is not installed' }, () => {
    const certificate = join(folder, 'pulse');
    const made = spawnSync('openssl', [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '1',
      '-subj',
      '/CN=pulse.example.com',
      '-keyout',
      `${certificate}.key`,
      '-out',
      `${certificate}.crt`,
    ]);
    assert.equal(made.status, 0, String(made.stderr));
    const config = layNginx('tls', (example) => example.replaceAll('/etc/nginx/pulse', certificate));
    const { status, stderr } = spawnSync('nginx', ['-t', '-p', folder, '-c', config], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /warn/);
  });

  test('behind nginx each client has its own allowance', {
    skip: NGINX && LINUX ? false : 'nginx on Linux is not installed',
  }, async (t) => {
    const [{ port: node }, port] = [await service(), await freePort()];
    const plain = (example: string): string =>
      example
        .slice(0, example.lastIndexOf('server {'))
        .replace('127.0.0.1:8080', `127.0.0.1:${node}`)
        .replace('listen 443 ssl', `listen 127.0.0.1:${port}`)
        .replace(/^ *(listen \[::\]|ssl_).*\n/gm, '');
    const proxy = spawn('nginx', ['-p', folder, '-c', layNginx('plain', plain), '-g', 'daemon off;']);
    await expectOwnAddresses(t, proxy, port, ['127.0.0.11', '127.0.0.12']);
  });

  test('behind Caddy each client has its own allowance', {
    skip: CADDY && LINUX ? false : 'Caddy on Linux is not installed',
  }, async (t) => {
    const [{ port: node }, port] = [await service(), await freePort()];
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      PULSE_SITE: `http://127.0.0.1:${port}`,
      PULSE_NODES: `127.0.0.1:${node}`,
    };
    const proxy = spawn('caddy', ['run', '--config', join(EXAMPLES, 'Caddyfile'), '--adapter', 'caddyfile'], { env });
    await expectOwnAddresses(t, proxy, port, ['127.0.0.21', '127.0.0.22']);
  });
});

/** A configuration around the example, which stands inside `http` where it is installed. */
function layNginx(name: string, change: (example: string) => string): string {
  mkdirSync(join(folder, 'logs'), { recursive: true });
  writeFileSync(join(folder, `${name}.inc`), change(readFileSync(join(EXAMPLES, 'nginx.conf'), 'utf8')));
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((kind) => `${kind}_temp_path ${join(folder, kind)};`)
    .join(' ');
  const config = join(folder, `${name}.conf`);
  writeFileSync(
    config,
    `pid ${join(folder, `${name}.pid`)}; error_log stderr; worker_processes 1; events {} http { access_log off; ${paths} include ${join(folder, `${name}.inc`)}; }`,
  );
  return config;
}
