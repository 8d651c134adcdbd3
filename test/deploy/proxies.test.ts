/**
 * The proxy examples of deploy/proxy, run as they are: the service counts the client's own address, whatever
 * the client claims, and no request is lost while nodes restart one after another.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:http2';
import { join } from 'node:path';
import { after, describe, type TestContext, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { covers } from '../spec/covers.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import {
  CADDY,
  HAPROXY,
  layNginx,
  NGINX,
  type ProxyExample,
  runNginx,
  startCaddy,
  startHaproxy,
  startNginx,
} from '../support/proxy-example.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

/** Other loopback addresses than 127.0.0.1 can be sent from on Linux alone. */
const LINUX = process.platform === 'linux';

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
  path = '/v1/ip/8.8.8.8',
): Promise<readonly [number, number]> {
  const asked = request({
    host: '127.0.0.1',
    port,
    path,
    localAddress: from,
    headers: claim,
    agent: false,
  }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  answer.resume();
  await once(answer, 'end');
  return [answer.statusCode!, Number(answer.headers['x-daily-remaining'])];
}

/** Waits for the proxy, then asks as two clients that each claim to be others. */
async function expectOwnAddresses(
  t: TestContext,
  proxy: ProxyExample,
  port: number,
  [one, other]: readonly [string, string],
): Promise<void> {
  t.after(() => proxy.stop());
  await proxy.ready();
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
  for (const path of ['/v1/decide?ip=8.8.8.8', '/v1/%64ecide', '/v1/decide/cart'])
    assert.equal((await lookup(port, one, {}, path))[0], 404, path);
}

/** Lookups of each proxy, and their rate: the nodes restart in less time than they take. */
const LOOKUPS = 4000;
const PER_SECOND = 80;

/** Sends lookups at a steady rate over connections that are kept. @returns how often each outcome was seen */
async function load(port: number): Promise<Readonly<Record<string, number>>> {
  const agent = new Agent({ keepAlive: true });
  const outcomes: Record<string, number> = {};
  const ask = async (): Promise<void> => {
    const outcome = await new Promise<string>((resolve) => {
      request({ host: '127.0.0.1', port, path: '/v1/ip/8.8.8.8', agent, timeout: 20_000 }, (answer) => {
        answer.resume();
        answer.on('end', () => resolve(String(answer.statusCode)));
        answer.on('error', ({ message }) => resolve(message));
      })
        .on('timeout', () => resolve('no answer'))
        .on('error', ({ message }) => resolve(message))
        .end();
    });
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  const started = performance.now();
  const asked: Promise<void>[] = [];
  for (let sent = 0; sent < LOOKUPS; sent += 1) {
    asked.push(ask());
    const aheadMs = started + (sent * 1000) / PER_SECOND - performance.now();
    if (aheadMs > 1) await setTimeout(aheadMs);
  }
  await Promise.all(asked);
  agent.destroy();
  return outcomes;
}

/** Status of /readyz over HTTP/2 and TLS; undefined where the proxy does not answer so. */
const overHttp2 = (port: number): Promise<number | undefined> =>
  new Promise((resolve) => {
    const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
    const end = (status?: number): void => {
      resolve(status);
      session.destroy();
    };
    session.on('error', () => end());
    session
      .request({ ':path': '/readyz' })
      .on('error', () => end())
      .on('response', (head) => end(head[':status']));
  });

describe('proxy examples', () => {
  test('nginx and HAProxy take the examples as they are, and speak HTTP/2 over TLS', {
    skip: (NGINX === undefined || HAPROXY === undefined) && 'nginx or HAProxy cannot be had here',
  }, async (t) => {
    covers('SHIPPED-RUN');
    const certificate = join(testFolder('certificate'), 'pulse');
    const made = spawnSync(
      'openssl',
      [
        'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=pulse.example.com'.split(' '),
        ['-keyout', `${certificate}.key`, '-out', `${certificate}.crt`],
      ].flat(),
    );
    assert.equal(made.status, 0, String(made.stderr));
    const withCertificate = (example: string): string => example.replaceAll('/etc/nginx/pulse', certificate);
    const { folder, file } = layNginx('tls', withCertificate);
    const { status, stderr } = spawnSync(NGINX!, ['-t', '-p', folder, '-c', file], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stderr, /warn/);
    writeFileSync(
      `${certificate}.pem`,
      readFileSync(`${certificate}.crt`, 'utf8') + readFileSync(`${certificate}.key`, 'utf8'),
    );
    const [{ port: node }, one, other] = [await service(), await freePort(), await freePort()];
    const nginx = layNginx('run', (example) =>
      withCertificate(example.slice(0, example.lastIndexOf('server {')))
        .replace('127.0.0.1:8080', `127.0.0.1:${node}`)
        .replace(' 443', ` 127.0.0.1:${one}`)
        .replace(/^ *listen \[::\].*\n/m, ''),
    );
    for (const proxy of [runNginx(nginx, one), startHaproxy(other, [node], `${certificate}.pem`)])
      t.after(() => proxy.stop());
    for (const port of [one, other]) await eventually(async () => (await overHttp2(port)) === 200);
  });

  test('behind nginx each client has its own allowance', {
    skip: !(NGINX !== undefined && LINUX) && 'nginx on Linux cannot be had here',
  }, async (t) => {
    const [{ port: node }, port] = [await service(), await freePort()];
    await expectOwnAddresses(t, startNginx(port, [node]), port, ['127.0.0.11', '127.0.0.12']);
  });

  test('behind Caddy each client has its own allowance', {
    skip: !(CADDY !== undefined && LINUX) && 'Caddy on Linux cannot be had here',
  }, async (t) => {
    const [{ port: node }, port] = [await service(), await freePort()];
    await expectOwnAddresses(t, startCaddy(port, [node]), port, ['127.0.0.21', '127.0.0.22']);
  });

  test('behind HAProxy each client has its own allowance', {
    skip: !(HAPROXY !== undefined && LINUX) && 'HAProxy on Linux cannot be had here',
  }, async (t) => {
    const [{ port: node }, port] = [await service(), await freePort()];
    await expectOwnAddresses(t, startHaproxy(port, [node]), port, ['127.0.0.31', '127.0.0.32']);
  });

  test('behind each no lookup of 4,000 fails while three nodes restart one after another', {
    skip: [NGINX, CADDY, HAPROXY].includes(undefined) && 'nginx, Caddy or HAProxy cannot be had here',
  }, async (t) => {
    covers('ROLLING-RESTART');
    const env = { PULSE_TRUSTED_PROXIES: '127.0.0.1', ...MANY_ANONYMOUS };
    const nodes = await Promise.all([1, 2, 3].map(() => serveProcess({ env })));
    t.after(() => Promise.all(nodes.map((node) => node.dispose())));
    const starts = [startNginx, startCaddy, startHaproxy] as const;
    const ports = await Promise.all(starts.map(() => freePort()));
    const proxies = starts.map((start, index) =>
      start(
        ports[index]!,
        nodes.map(({ port }) => port),
      ),
    );
    t.after(() => Promise.all(proxies.map((proxy) => proxy.stop())));
    await Promise.all(proxies.map((proxy) => proxy.ready()));
    const loads = Promise.all(ports.map(load));
    let ended = false;
    void loads.finally(() => (ended = true));
    for (const [index, { dataDir, port }] of nodes.entries()) {
      await setTimeout(2000);
      assert.equal(await nodes[index]!.stop(), 0);
      nodes[index] = await serveProcess({ dataDir, env: { ...env, PULSE_PORT: String(port) } });
    }
    assert.equal(ended, false, 'the nodes restarted while lookups came');
    assert.deepEqual(await loads, [{ 200: LOOKUPS }, { 200: LOOKUPS }, { 200: LOOKUPS }]);
  });
});
