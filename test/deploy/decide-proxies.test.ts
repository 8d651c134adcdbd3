/**
 * The configurations of deploy/decide, run by the programs of Debian in front of an application, and the
 * documented requests of Traefik and Envoy.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { createKey } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { findProgram } from '../support/find-program.ts';
import { freePort } from '../support/free-port.ts';
import { pulseOver } from '../support/pulse-command.ts';
import { rawHttp } from '../support/raw-http.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { sharedService } from '../support/shared-service.ts';
import { testFolder } from '../support/test-folder.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../deploy/decide');
const [TRIED, VPN, CLEAN] = ['45.77.22.1', '45.77.22.2', '45.77.22.3'] as const;
const folder = testFolder('decide');

let server: ServeProcess;
let key: string;
let application: Server;
const started: ChildProcess[] = [];

before(async () => {
  server = await sharedService();
  ({ key } = createKey(server.dataDir, 'proxies', ['--plan', 'enterprise', '--dpa']));
  const at = new Date(server.now() - 3 * 60_000).toISOString();
  const rows = `ip,risk_type,captured_at\n${TRIED},honeypot_credential,${at}\n${VPN},vpn,${at}\n`;
  const made = pulseOver(server.dataDir, ['evidence', 'import', '-', '--source', 'decide-proxies', '--json'], rows);
  assert.equal(made.status, 0, made.stderr);
  application = createServer(({ headers }, response) =>
    response.end(`${headers['x-pulse-action']}; ${headers['x-pulse-reason']}`),
  );
  await once(application.listen(0, '127.0.0.1'), 'listening');
});
after(async () => {
  for (const child of started) {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  application.close();
});

/**
 * Lays an example with the ports and the key of this test. The test's own load balancer stands in front of
 * the proxy.
 */
async function lay(name: string, own: readonly [string, string]): Promise<{ file: string; base: string }> {
  const listening = await freePort();
  const text = readFileSync(join(EXAMPLES, name), 'utf8')
    .replace(/127\.0\.0\.1:808[123]/, `127.0.0.1:${listening}`)
    .replaceAll('127.0.0.1:8080', `127.0.0.1:${server.port}`)
    .replaceAll(':3000', `:${(application.address() as AddressInfo).port}`)
    .replaceAll('PULSE_KEY"', `${key}"`)
    .replaceAll('timeout 1s', 'timeout 20s')
    .replaceAll(...own);
  const file = join(folder, name);
  writeFileSync(file, text);
  return { file, base: `http://127.0.0.1:${listening}/` };
}

function run(program: string, args: readonly string[], env: Readonly<Record<string, string>> = {}): () => string {
  const child = spawn(program, args, { cwd: folder, env: { HOME: folder, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  started.push(child);
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk) => (output += String(chunk)));
  return () => output;
}

async function expectDecisions(base: string, output: () => string): Promise<void> {
  const ask = async (ip: string, more: Readonly<Record<string, string>> = {}): Promise<string> => {
    const response = await fetch(base, { headers: { 'x-test-client': ip, connection: 'close', ...more } });
    return `${response.status} ${response.status === 200 ? await response.text() : ''}`.trim();
  };
  await eventually(async () => (await ask(CLEAN)) === '200 allow; no evidence', { hint: output });
  await eventually(async () => (await ask(TRIED)) === '403', { hint: output });
  assert.match(await ask(VPN), /^200 challenge; vpn, \d+ minutes ago, on 1 of 14 days$/);
  const claim = {
    ...{ 'x-forwarded-for': CLEAN, 'x-real-ip': CLEAN, 'x-api-key': 'pk_of_the_visitor', 'x-pulse-action': 'allow' },
    ...{ authorization: 'Bearer of-the-application', cookie: 'pulse_session=x' },
  };
  assert.equal(await ask(TRIED, claim), '403', 'a client chooses neither its address nor the key');
  assert.match(await ask(VPN, claim), /^200 challenge; /, 'nor what was decided');
}

describe('a proxy asks Pulse about each client', () => {
  test('nginx, with auth_request', async (t) => {
    covers('DECIDE-PROXIES');
    const nginx = findProgram('nginx', 'nginx-light');
    if (nginx === undefined) return t.skip('nginx is not installed');
    const { file, base } = await lay('nginx.conf', ['', '']);
    const whole = join(folder, 'whole.conf');
    const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((name) => `${name}_temp_path ${folder}/${name};`)
      .join(' ');
    const front = 'set_real_ip_from 127.0.0.1; real_ip_header X-Test-Client;';
    writeFileSync(
      whole,
      `daemon off; pid ${folder}/nginx.pid; error_log stderr; events {}\nhttp { access_log off; ${paths} ${front} include ${file}; }\n`,
    );
    await expectDecisions(base, run(nginx, ['-p', folder, '-c', whole]));
  });

  test('nginx lets requests pass while Pulse is away', async (t) => {
    const nginx = findProgram('nginx', 'nginx-light');
    if (nginx === undefined) return t.skip('nginx is not installed');
    const { file, base } = await lay('nginx.conf', [`127.0.0.1:${server.port}`, `127.0.0.1:${await freePort()}`]);
    const whole = join(folder, 'away.conf');
    writeFileSync(
      whole,
      `daemon off; pid ${folder}/away.pid; error_log stderr; events {}\nhttp { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s; include ${file}; }\n`,
    );
    const output = run(nginx, ['-p', folder, '-c', whole]);
    const status = async (): Promise<number> => (await fetch(base, { headers: { connection: 'close' } })).status;
    await eventually(async () => (await status()) === 200, { hint: output });
  });

  test('Caddy, with forward_auth', async (t) => {
    covers('DECIDE-PROXIES');
    const caddy = findProgram('caddy', 'caddy');
    if (caddy === undefined) return t.skip('Caddy is not installed');
    const { file, base } = await lay('Caddyfile', ['{remote_host}', '{http.request.header.X-Test-Client}']);
    writeFileSync(file, `{\n\tadmin off\n}\n${readFileSync(file, 'utf8')}`);
    const env = { XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
    await expectDecisions(base, run(caddy, ['run', '--config', file, '--adapter', 'caddyfile'], env));
  });

  test('HAProxy, with Lua', async (t) => {
    covers('DECIDE-PROXIES');
    const haproxy = findProgram('haproxy', 'haproxy');
    if (haproxy === undefined) return t.skip('HAProxy is not installed');
    const { file, base } = await lay('haproxy.cfg', [
      '    http-request lua.pulse',
      '    http-request set-src hdr(X-Test-Client)\n    http-request lua.pulse',
    ]);
    const lua = join(folder, 'decide.lua');
    copyFileSync(join(EXAMPLES, 'decide.lua'), lua);
    writeFileSync(lua, readFileSync(lua, 'utf8').replace('timeout = 1000', 'timeout = 20000'));
    const env = { PULSE_URL: server.base, PULSE_KEY: key };
    await expectDecisions(base, run(haproxy, ['-f', file, '-db'], env));
  });

  /** The head that a proxy sends, by its documentation. */
  const asked = async (lines: readonly string[]): Promise<readonly [number, string | undefined]> => {
    const [answer] = await rawHttp(server.port, `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`, {
      answers: 1,
    });
    return [answer!.status, answer!.headers['x-pulse-action']];
  };

  test('Traefik, with forwardAuth: a GET with the request in X-Forwarded-* headers', async () => {
    covers('DECIDE-PROXIES');
    const head = (client: string): readonly string[] => [
      'GET /v1/decide HTTP/1.1',
      `Host: 127.0.0.1:${server.port}`,
      `X-Api-Key: ${key}`,
      'X-Forwarded-Method: POST',
      'X-Forwarded-Proto: https',
      'X-Forwarded-Host: shop.example.com',
      'X-Forwarded-Uri: /cart?token=of-the-application',
      `X-Forwarded-For: ${client}`,
      'Accept-Encoding: gzip',
    ];
    assert.deepEqual(await asked(head(TRIED)), [403, 'deny']);
    assert.deepEqual(await asked(head(CLEAN)), [204, 'allow']);
  });

  test('Envoy, with ext_authz over HTTP: the own method and path behind path_prefix, and no body', async () => {
    covers('DECIDE-PROXIES');
    const head = (client: string): readonly string[] => [
      'POST /v1/decide/cart?token=of-the-application HTTP/1.1',
      'Host: shop.example.com',
      `x-api-key: ${key}`,
      `x-forwarded-for: ${client}`,
      'content-length: 0',
      'x-envoy-internal: true',
      'x-envoy-expected-rq-timeout-ms: 250',
    ];
    assert.deepEqual(await asked(head(TRIED)), [403, 'deny']);
    assert.deepEqual(await asked(head(CLEAN)), [204, 'allow']);
  });
});
