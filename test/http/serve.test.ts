import assert from 'node:assert/strict';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

test('a port that is taken ends the start with status 1 and says which', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as { port: number };
  await assert.rejects(
    serveProcess({ env: { PULSE_PORT: String(port) } }),
    new RegExp(`ended with 1:[\\s\\S]*port ${port} on 127\\.0\\.0\\.1 is in use`),
  );
  taken.close();
});

test('a wrong setting ends the start with status 2 and names every fault', async () => {
  await assert.rejects(
    serveProcess({ env: { PULSE_WORKERS: '0', PULSE_QUOTA_TZ: 'Mars/Olympus' } }),
    /ended with 2:[\s\S]*PULSE_QUOTA_TZ[\s\S]*PULSE_WORKERS|ended with 2:[\s\S]*PULSE_WORKERS[\s\S]*PULSE_QUOTA_TZ/,
  );
});

let server: ServeProcess;
before(async () => {
  server = await serveProcess({ env: { PULSE_WORKERS: '1' } });
});
after(() => server.dispose());

test('says once, in one line, when it is ready, and keeps its secrets to its own user', async () => {
  await eventually(() => server.output().includes('ready on'));
  assert.equal(
    server.output().match(/^pulse: ready on http:\/\/127\.0\.0\.1:\d+ · geo synthetic-1 · risk \S+ · \d+ ms$/gm)
      ?.length,
    1,
    server.output(),
  );
  assert.doesNotMatch(server.output(), /unsupported runtime/i);
  for (const name of ['secret', 'ledger/seed'])
    assert.equal(statSync(join(server.dataDir, name)).mode & 0o077, 0, name);
});

test('a second service cannot slip onto the port of the first', () =>
  assert.rejects(serveProcess({ env: { PULSE_PORT: String(server.port) } }), /is in use/));

test('SIGTERM lets a request that has begun finish, then ends with status 0', async () => {
  const socket = connect({ host: '127.0.0.1', port: server.port });
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk) => {
    text += String(chunk);
  });
  // One answer first: the connection is then surely the server's and no longer in its queue.
  socket.write('GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  text = '';
  socket.write('GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: x\r\n');
  // The one thread has read that much when it answers a later question.
  for (let later = 0; later < 2; later++)
    assert.equal((await fetch(`${server.base}/v1/ip/8.8.8.8`, { headers: { Connection: 'close' } })).status, 200);
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

test('ends when the process that started it goes away', async () => {
  server = await serveProcess({ dataDir: server.dataDir, env: { PULSE_WORKERS: '1' } });
  const exited = once(server.child, 'exit');
  server.child.disconnect();
  assert.deepEqual(await exited, [0, null]);
});
