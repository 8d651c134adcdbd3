import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { eventually } from '../../../../test/support/eventually.ts';
import { rawHttp } from '../../../../test/support/raw-http.ts';
import { parsePrefix } from '../../../core/ip/prefix.ts';
import { unixMs } from '../../../core/units.ts';
import { routesOf } from '../routes.ts';
import type { HttpServices } from '../services.ts';
import type { HttpPlugin } from '../step.ts';
import { ClientConnections, sharedConnections } from './client-connections.ts';
import { createHttpServer, type HttpServer } from './create-http-server.ts';
import { CONNECTION_LIMITS, type ConnectionLimits, PIPELINED_MAX } from './limit-connections.ts';

const LARGE = 'x'.repeat(4 * 1024 * 1024);
const servers: HttpServer[] = [];
const sockets: Socket[] = [];
after(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.map((server) => server.close(1000)));
});

interface Started {
  readonly http: HttpServer;
  readonly port: number;
  readonly warned: readonly string[];
}

async function start(limits: Partial<ConnectionLimits>): Promise<Started> {
  const warned: string[] = [];
  const log = { error() {}, warn: (_: object, message: string) => void warned.push(message), info() {}, debug() {} };
  const services = {
    clock: { now: () => unixMs(0) },
    log,
    ledger: { flushed: () => undefined },
    view: () => undefined,
    trustedProxies: [],
    baseUrl: 'http://127.0.0.1',
  };
  const plugin: HttpPlugin = (app) => {
    app.get('/large', async () => LARGE);
    app.get('/small', async () => 'ok');
  };
  const routes = routesOf('', ...['/large', '/small'].map((path) => ['GET', path, undefined, 'lookup'] as const));
  const http = createHttpServer({
    idPrefix: 't-',
    services: services as unknown as HttpServices,
    plugins: [plugin],
    routes,
    connections: { ...CONNECTION_LIMITS, ...limits },
  });
  servers.push(http);
  const port = await http.listen({ host: '127.0.0.1', port: 0, reusePort: false });
  return { http, port, warned };
}

/** A connection that reads nothing by itself. */
async function open(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port }).pause();
  socket.on('error', () => {});
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const openAt = ({ http }: Started): Promise<number> =>
  new Promise((resolve) => void http.server.getConnections((_error, count) => resolve(count)));
const get = (path: string, lines = ''): string => `GET ${path} HTTP/1.1\r\nHost: a\r\n${lines}\r\n`;

for (const [title, sent] of [
  ['pipelines requests', get('/large').repeat(20)],
  ['asks for one answer and the end of the connection', get('/large', 'Connection: close\r\n')],
  ['sends what is not a request behind one', `${get('/large')}nonsense\r\n\r\n`],
] as const)
  test(`a client that ${title} and reads nothing is cut off`, async () => {
    const server = await start({ silenceMs: 300 });
    (await open(server.port)).write(sent);
    await eventually(async () => (await openAt(server)) === 1);
    await eventually(async () => (await openAt(server)) === 0);
  });

test('an answer of which nothing is taken for a minute ends its connection, and one that is read slowly does not', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const server = await start({});
  const [silent, slow] = [await open(server.port), await open(server.port)];
  for (const socket of [silent, slow]) socket.write(get('/large').repeat(4));
  await Promise.all([silent, slow].map((socket) => once(socket, 'readable')));
  await eventually(async () => (await openAt(server)) === 2);
  let read = 0;
  for (let sec = 5; sec <= 70; sec += 5) {
    t.mock.timers.tick(5000);
    // So much that the kernel asks the server for more.
    for (const enough = read + 700_000; read < enough; ) {
      const chunk = slow.read() as Buffer | null;
      if (chunk === null) await once(slow, 'readable');
      else read += chunk.length;
    }
  }
  await eventually(async () => (await openAt(server)) === 1);
  for (let bytes = read; bytes < 4 * LARGE.length; ) {
    const chunk = slow.read() as Buffer | null;
    if (chunk === null) await once(slow, 'readable');
    else bytes += chunk.length;
  }
});

test('a client that has closed its half and reads gets its whole answer', async () => {
  const server = await start({});
  const socket = await open(server.port);
  socket.end(get('/large'));
  let bytes = 0;
  socket.on('data', (chunk) => (bytes += chunk.length)).resume();
  await once(socket, 'close');
  assert.ok(bytes > LARGE.length, String(bytes));
});

test('the last request a connection may send is answered with its end, and later ones are not run', async () => {
  const { port } = await start({ requestsMax: 3 });
  const answers = await rawHttp(port, get('/small').repeat(5));
  const shown = answers.map(({ status, headers }) => [status, headers['connection']]);
  assert.deepEqual(shown, [
    [200, 'keep-alive'],
    [200, 'keep-alive'],
    [200, 'close'],
  ]);
});

test('a connection with too many requests that wait for their turn ends with the answer to the last of them', async () => {
  const { port } = await start({});
  const bounded = PIPELINED_MAX + 2;
  const answers = await rawHttp(port, get('/small').repeat(bounded + 1000));
  assert.deepEqual(
    [answers.length, answers.at(-2)!.headers['connection'], answers.at(-1)!.headers['connection']],
    [bounded, 'keep-alive', 'close'],
  );
  const patient = await open(port);
  let text = '';
  patient.on('data', (chunk) => (text += String(chunk))).resume();
  for (let round = 1; round <= 4; round++) {
    patient.write(get('/small').repeat(PIPELINED_MAX));
    await eventually(() => text.split('HTTP/1.1 200').length - 1 === round * PIPELINED_MAX);
  }
});

test('a client has so many connections over all threads; one that ends makes room, and one that is excepted has no bound', async () => {
  const shared = sharedConnections(2, 'seed');
  const perClient = (slot: number, except: readonly string[] = []) => ({
    perClient: { max: 3, open: new ClientConnections(shared, slot), except: except.map((text) => parsePrefix(text)!) },
  });
  const [first, second] = [await start(perClient(0)), await start(perClient(1))];
  const held = [await open(first.port), await open(first.port), await open(second.port)];
  await eventually(async () => (await openAt(first)) + (await openAt(second)) === 3);
  for (const { port } of [first, second])
    assert.deepEqual(await rawHttp(port, get('/small'), { answers: 1 }), [], 'the fourth');
  assert.match(first.warned.join(), /3 connections.*PULSE_TRUSTED_PROXIES/);
  held[2]!.destroy();
  await eventually(async () => (await rawHttp(first.port, get('/small'), { answers: 1 })).length === 1);
  const excepted = await start(perClient(0, ['127.0.0.0/8']));
  for (let n = 0; n < 5; n++) held.push(await open(excepted.port));
  assert.equal((await rawHttp(excepted.port, get('/small'), { answers: 1 }))[0]?.status, 200);
});

test('a server has so many connections', async () => {
  const server = await start({ connectionsMax: 2 });
  for (let n = 0; n < 2; n++) await open(server.port);
  await eventually(async () => (await openAt(server)) === 2);
  assert.deepEqual(await rawHttp(server.port, get('/small'), { answers: 1 }), []);
  assert.match(server.warned.join(), /all connections of a thread are taken/);
});

test('a thread that takes the place of a dead one begins without connections, and clients are counted apart', () => {
  const shared = sharedConnections(2, 'seed');
  const [dead, other] = [new ClientConnections(shared, 0), new ClientConnections(shared, 1)];
  assert.ok(dead.open('192.0.2.1', 2) && other.open('192.0.2.1', 2));
  assert.equal(dead.open('192.0.2.1', 2), undefined);
  assert.ok(dead.open('192.0.2.2', 1));
  const successor = new ClientConnections(shared, 0);
  const end = successor.open('192.0.2.1', 2);
  assert.equal(other.open('192.0.2.1', 2), undefined);
  end!();
  assert.ok(other.open('192.0.2.1', 2));
});
