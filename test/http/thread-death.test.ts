/** A thread that dies of a fault answers requests it has begun, is counted, and another takes its place. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { eventually } from '../support/eventually.ts';
import { type ServeProcess, serveProcess } from '../support/serve-process.ts';

const DIE = pathToFileURL(resolve(import.meta.dirname, '../support/die-on-request.ts')).href;

let server: ServeProcess;
before(async () => {
  server = await serveProcess({ env: { PULSE_WORKERS: '1', NODE_OPTIONS: `--import=${DIE}` } });
});
after(() => server.dispose());

test('requests that a dying thread has begun are answered; it is counted and replaced', async () => {
  // The whole service answers, so that the request below is taken at once.
  assert.equal((await fetch(`${server.base}/openapi.json`)).status, 200);
  assert.match(await server.metrics(), /^pulse_thread_deaths_total 0$/m);
  const begun = connect({ host: '127.0.0.1', port: server.port });
  let text = '';
  begun.on('data', (chunk) => (text += String(chunk)));
  begun.write('GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: a\r\n\r\n');
  await once(begun, 'data');
  text = '';
  begun.write('POST /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: a\r\n');
  const killer = connect({ host: '127.0.0.1', port: server.port });
  killer.on('error', () => {}).write('GET /v1/ip/zz HTTP/1.1\r\nHost: a\r\nX-Die: 1\r\n\r\n');
  let last = '';
  killer.on('data', (chunk) => (last += String(chunk)));
  await eventually(() => server.output().includes('nothing caught'), { everyMs: 5 });
  begun.write('\r\n');
  await Promise.all([begun, killer].map((socket) => socket.closed || once(socket, 'close')));
  assert.match(last, /^HTTP\/1\.1 400 [\s\S]*invalid_ip/, 'the request that killed it');
  assert.match(text, /^HTTP\/1\.1 405 [\s\S]*Connection: close[\s\S]*method_not_allowed/, 'the request that was begun');
  await eventually(() => server.output().includes('was restarted'));
  assert.match(server.output(), /a fault that nothing catches[\s\S]*a thread that answers requests died/);
  assert.equal((await fetch(`${server.base}/v1/ip/8.8.8.8`)).status, 200);
  assert.match(await server.metrics(), /^pulse_thread_deaths_total 1$/m);
});

test('look-ups and batches are answered while the thread for everything else is dead; requests for that wait until it is back', async () => {
  const killer = await fetch(`${server.base}/llms.txt`, { headers: { 'X-Die': 'app' } });
  assert.equal(killer.status, 200, 'the request that killed it is answered');
  await eventually(() => server.output().split('nothing caught').length === 3, { everyMs: 5 });
  for (let i = 0; i < 20; i += 1) assert.equal((await fetch(`${server.base}/v1/ip/8.8.8.8`)).status, 200);
  assert.equal((await fetch(`${server.base}/healthz`)).status, 200);
  const batch = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: '{"ips":["8.8.8.8"]}' };
  assert.equal((await fetch(`${server.base}/v1/ip/batch`, batch)).status, 200);
  const tool = { name: 'ip_risk_lookup', arguments: { ip: '8.8.8.8' } };
  const call = { ...batch, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: tool }) };
  assert.equal((await fetch(`${server.base}/mcp`, call)).status, 200);
  const meanwhile = await fetch(`${server.base}/llms.txt`);
  if (meanwhile.status !== 200) assert.deepEqual([meanwhile.status, meanwhile.headers.has('retry-after')], [503, true]);
  await eventually(async () => (await fetch(`${server.base}/llms.txt`)).status === 200);
  const deaths = /(?:a thread that answers requests died[\s\S]*was restarted[\s\S]*){2}/;
  await eventually(() => deaths.test(server.output()), { hint: server.output });
  assert.match(await server.metrics(), /^pulse_thread_deaths_total 2$/m);
});
