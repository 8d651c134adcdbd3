/** Start and end of a service, and what it keeps from one to the next. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { covers } from '../spec/covers.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { pulseOver, pulseProcess } from '../support/pulse-command.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';
import { testFolder } from '../support/test-folder.ts';

/** A port of another program. */
let taken: Server;
let takenPort: number;
let server: ServeProcess;
const ENV = { PULSE_TRUSTED_PROXIES: '127.0.0.1', PULSE_LOG: 'info' };
before(async () => {
  taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  ({ port: takenPort } = taken.address() as { port: number });
  server = await serveProcess({ env: ENV });
});
after(async () => {
  taken.close();
  await server?.dispose();
});

/** A client, and one that is verified as an AI assistant by the list that is shipped. */
const CLIENT = { 'X-Forwarded-For': '198.51.100.77' };
const ASSISTANT = { 'X-Forwarded-For': '132.196.86.1', 'User-Agent': 'GPTBot/1.3' };
const ask = (headers: Record<string, string>): Promise<Response> => fetch(`${server.base}/v1/ip/8.8.8.8`, { headers });
const day = async (headers: Record<string, string>): Promise<readonly number[]> => {
  const answer = await ask(headers);
  return ['limit', 'remaining'].map((name) => Number(answer.headers.get(`x-daily-${name}`)));
};

test('says once, in one line, when it is ready, and keeps its secrets to its own user', async () => {
  await eventually(() => server.output().includes('ready on'));
  assert.equal(
    server.output().match(/"msg":"ready on http:\/\/127\.0\.0\.1:\d+ · geo synthetic-1 · risk \S+ · \d+ ms"\}$/gm)
      ?.length,
    1,
    server.output(),
  );
  for (const line of server.output().trim().split('\n')) assert.equal(typeof JSON.parse(line), 'object', line);
  covers('SITE-NO-EVIDENCE');
  assert.match(server.output(), /"there is no evidence yet: .*: npm start -- --demo"/);
  assert.doesNotMatch(server.output(), /unsupported runtime/i);
  for (const name of ['secret', 'ledger/seed'])
    assert.equal(statSync(join(server.dataDir, name)).mode & 0o077, 0, name);
});

test('pulse lookup names an empty store as a server does that has nothing yet', async () => {
  covers('CLI-LOOKUP', 'VER-DATA');
  const { status, stdout, stderr } = pulseOver(server.dataDir, ['lookup', '8.8.8.8']);
  assert.equal(status, 0, stderr);
  const { meta } = (await (await ask({})).json()) as { readonly meta: unknown };
  assert.deepEqual(meta, { data_version: { risk: 'none', geo: 'synthetic-1' } });
  assert.deepEqual(JSON.parse(stdout).meta, meta);
});

test('a port that is taken, by another service too, ends the start with status 1 and says which', () => {
  for (const port of [takenPort, server.port]) {
    const env = { PULSE_DATA_DIR: testFolder('port-taken'), PULSE_PORT: String(port), PULSE_METRICS: 'off' };
    const { status, stderr } = pulseProcess('serve', { env });
    assert.equal(status, 1);
    assert.match(JSON.parse(stderr).msg, new RegExp(`port ${port} on 127\\.0\\.0\\.1 is in use`));
  }
});

test('a wrong setting ends the start with status 2 and names every fault', async () => {
  await assert.rejects(
    serveProcess({ env: { PULSE_WORKERS: '0', PULSE_QUOTA_TZ: 'Mars/Olympus' } }),
    /ended with 2:[\s\S]*PULSE_QUOTA_TZ[\s\S]*PULSE_WORKERS|ended with 2:[\s\S]*PULSE_WORKERS[\s\S]*PULSE_QUOTA_TZ/,
  );
});

test('a restart, by SIGKILL too, forgets no answered charge, and brings the allowances that are set then', async () => {
  covers('LIM-DURABLE', 'LIM-ANON-DAY', 'LIM-ANON-MIN', 'AUTH-ASSISTANT');
  const first = await ask(CLIENT);
  assert.equal(first.headers.get('x-ratelimit-limit'), '60');
  for (const left of [998, 997, 996]) assert.deepEqual(await day(CLIENT), [1000, left]);
  for (const left of [4999, 4998]) assert.deepEqual(await day(ASSISTANT), [5000, left]);
  const { dataDir } = server;
  await server.kill();
  // The next test needs these.
  const apart = { PULSE_METRICS: `127.0.0.1:${takenPort}`, PULSE_BASE_URL: 'http://pulse.example' };
  server = await serveProcess({ dataDir, env: { ...ENV, ...apart, PULSE_ANON_PER_DAY: '6', PULSE_AI_PER_DAY: '20' } });
  assert.deepEqual(await day(CLIENT), [6, 1]);
  assert.deepEqual(await day(CLIENT), [6, 0]);
  assert.match(await (await ask(CLIENT)).text(), /"code":"quota_exceeded_anon"/);
  assert.deepEqual(await day(ASSISTANT), [20, 17]);
});

test('a service whose address of metrics is taken goes without them, and warns; so it does of a public http', async () => {
  await eventually(() => server.output().includes('there are no metrics'));
  assert.match(server.output(), /"level":40,[^\n]*"reason":"EADDRINUSE"[^\n]*PULSE_METRICS/);
  assert.match(server.output(), /"level":40,[^\n]*http:\/\/pulse\.example[^\n]*travel unencrypted/);
  assert.equal((await ask({})).status, 200);
});

test('the public status names a store that is away', async (t) => {
  const node = await serveProcess({ env: { PULSE_REDIS_URL: `redis://127.0.0.1:${await freePort()}` } });
  t.after(() => node.dispose());
  await eventually(async () => {
    const status = (await (await fetch(`${node.base}/console/api/status`)).json()) as { stores_away?: unknown };
    return JSON.stringify(status.stores_away) === '["Redis"]';
  });
});

test('SIGTERM lets a request that has begun finish, then ends with status 0', async () => {
  const socket = connect({ host: '127.0.0.1', port: server.port });
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  // One answer first: the connection is then surely the server's and no longer in its queue.
  socket.write('GET /v1/ip/9.9.9.9 HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.78\r\n\r\n');
  await once(socket, 'data');
  text = '';
  socket.write('GET /v1/ip/9.9.9.9 HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 198.51.100.78\r\n');
  // The one thread has read that much when it answers a later question.
  for (let later = 0; later < 2; later++)
    assert.equal((await fetch(`${server.base}/healthz`, { headers: { Connection: 'close' } })).status, 200);
  const stopped = server.stop();
  await eventually(() =>
    fetch(server.base).then(
      () => false,
      () => true,
    ),
  );
  socket.write('\r\n');
  assert.equal(await stopped, 0);
  assert.match(text, /^HTTP\/1\.1 200 /);
});

test('an orderly stop forgets no answered charge either, and a service ends when the process that started it goes away', async () => {
  covers('LIM-DURABLE');
  const { dataDir } = server;
  server = await serveProcess({ dataDir, env: { ...ENV, PULSE_AI_PER_DAY: '20' } });
  // Two before the kill and one behind it.
  assert.deepEqual(await day(ASSISTANT), [20, 16]);
  const exited = once(server.child, 'exit');
  server.child.disconnect();
  assert.deepEqual(await exited, [0, null]);
});
