import assert from 'node:assert/strict';
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { covers } from '../../../../test/spec/covers.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { rawHttp } from '../../../../test/support/raw-http.ts';
import { testFolder } from '../../../../test/support/test-folder.ts';
import type { Problem } from '../../../service/problem.ts';
import type { Log } from '../services.ts';
import {
  AppPipe,
  newAppPipe,
  peerAddress,
  QUEUE_MAX,
  type RelayRequest,
  TURNS_MAX,
  takeSeal,
  WHOLE_BODY_BYTES,
} from './app-pipe.ts';
import { dropBody } from './closing-connections.ts';

type Answer = Parameters<typeof createServer>[1] & {};

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

const quiet = (): void => {};
const log: Log = { error: quiet, warn: quiet, info: quiet, debug: quiet };

/**
 * A front with a pipe to `answer`; `seen` are the requests that came through, `refused` the problems that
 * were answered in its place.
 */
async function piped(answer: Answer, relaysMax = 8) {
  const address = newAppPipe(join(testFolder('pipe'), 's'));
  const seen: IncomingMessage[] = [];
  const refused: Problem[] = [];
  const app = createServer({ requireHostHeader: false }, (request, response) => {
    if (!takeSeal(request, address.seal)) return void request.socket.destroy();
    seen.push(request);
    answer(request, response);
  });
  app.listen({ path: address.path });
  const pipe = new AppPipe({
    relaysMax,
    clientOf: ({ headers, socket }) => (headers['x-client'] as string | undefined) ?? `${socket.remotePort}`,
    log,
    refuse: ({ response }, problem) => {
      refused.push(problem);
      response.writeHead(problem.status, { 'Retry-After': '1', 'Content-Length': 0 }).end();
    },
  });
  const front = createServer({ requireHostHeader: false, optimizeEmptyRequests: true }, (request, response) => {
    if (!request.readableEnded) dropBody(request, response);
    pipe.hand({ request, response });
  });
  front.listen(0, '127.0.0.1');
  servers.push(app, front);
  await Promise.all([once(app, 'listening'), once(front, 'listening')]);
  pipe.setApp(address);
  return { address, pipe, app, seen, refused, port: (front.address() as AddressInfo).port };
}

test('a request arrives as it came, with the address of its first peer; the answer keeps its lines', async () => {
  const { port, seen } = await piped((request, response) => {
    response.setHeader('Set-Cookie', ['a=1', 'b=2']).statusCode = 201;
    response.end(`${peerAddress(request)} ${request.httpVersionMinor}`);
  });
  const [answer] = await rawHttp(
    port,
    'PUT /x?y=%20 HTTP/1.0\r\nX-One: é\r\nx-one: 2\r\nX-Pulse-Seal: forged 1 9.9.9.9\r\nConnection: close\r\n\r\n',
  );
  assert.equal(answer!.status, 201);
  assert.equal(answer!.body, '127.0.0.1 0');
  assert.deepEqual(
    [seen[0]!.method, seen[0]!.url, seen[0]!.headers['x-one'], seen[0]!.headers['x-pulse-seal']],
    ['PUT', '/x?y=%20', 'Ã©, 2', undefined],
  );
  assert.deepEqual((await fetch(`http://127.0.0.1:${port}/`)).headers.getSetCookie(), ['a=1', 'b=2']);
});

test('the head of a request arrives before any of a long body', async () => {
  const { port } = await piped((_request, response) => void response.writeHead(413).end());
  const head = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${WHOLE_BODY_BYTES + 1}\r\n\r\n`;
  const [answer] = await rawHttp(port, head, { answers: 1 });
  assert.equal(answer?.status, 413);
});

test('senders of bodies that never come whole leave places to others, however many clients they are', async () => {
  covers('CONN-SLOW');
  const { port, seen } = await piped(async (request, response) => {
    if (request.url !== '/long') response.end(await text(request));
  }, 4);
  const hold = (n: number, lines: string): Socket => {
    const holder = connect(port, '127.0.0.1').on('error', quiet);
    holder.write(`POST /long HTTP/1.1\r\nHost: a\r\nX-Client: holder${n}\r\n${lines}\r\n\r\n`);
    return holder;
  };
  const holders = Array.from({ length: 8 }, (_, n) => hold(n, 'Content-Length: 9'));
  holders.push(...Array.from({ length: 8 }, (_, n) => hold(n, `Content-Length: ${WHOLE_BODY_BYTES + 1}`)));
  holders.push(...Array.from({ length: 8 }, (_, n) => hold(n, 'Transfer-Encoding: chunked')));
  await eventually(() => seen.length === 2);
  const answer = await fetch(`http://127.0.0.1:${port}/short`, { method: 'POST', body: 'whole' });
  assert.equal(await answer.text(), 'whole');
  assert.equal(seen.length, 3, 'half of the places are for bodies that are passed on as they come');
  for (const holder of holders) holder.destroy();
});

test('a client that takes nothing of its answer gives its place to a request that waits', async () => {
  covers('CONN-SLOW');
  const long = Buffer.alloc(16 * 1024 * 1024, 'x');
  const { port, seen, refused } = await piped((request, response) => {
    response.end(request.url === '/long' ? long : 'short');
  }, 4);
  const holders = Array.from({ length: 4 }, () => connect(port, '127.0.0.1').on('error', quiet).pause());
  for (const [n, holder] of holders.entries())
    holder.write(`GET /long HTTP/1.1\r\nHost: a\r\nX-Client: holder${n}\r\n\r\n`);
  await eventually(() => seen.length === 4);
  const reader = fetch(`http://127.0.0.1:${port}/long`).then((answer) => answer.arrayBuffer());
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/short`)).text(), 'short');
  assert.equal((await reader).byteLength, long.length, 'a client that reads has its answer whole');
  assert.deepEqual(refused, []);
  for (const holder of holders) holder.destroy();
});

test('a connection goes on behind a body that was answered before it had come', async () => {
  const { port } = await piped((request, response) => {
    dropBody(request, response);
    response.writeHead(413, { 'Content-Length': 0 }).end();
  }, 1);
  const body = 'x'.repeat(3_000_000);
  const request = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const answers = await rawHttp(port, request.repeat(2), { answers: 2 });
  assert.deepEqual(
    answers.map(({ status }) => status),
    [413, 413],
  );
});

test('bodies are streamed both ways and wait for a slow reader', async () => {
  const { port } = await piped((request, response) => void request.pipe(response));
  const body = 'x'.repeat(3_000_000);
  const answer = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body });
  assert.equal(await answer.text(), body);
});

test('a client that breaks off ends its request behind the pipe; a thread that breaks off ends the connection of its client', async () => {
  const { port, seen } = await piped((request, response) => {
    if (request.url === '/cut') response.write('begun', () => request.socket.destroy());
  });
  const leaver = connect(port, '127.0.0.1').on('error', () => {});
  leaver.write('POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\nhalf');
  await eventually(() => seen.length === 1);
  leaver.destroy();
  await eventually(() => seen[0]!.destroyed && !seen[0]!.complete);
  await assert.rejects(fetch(`http://127.0.0.1:${port}/cut`).then((answer) => answer.text()));
});

test('while the thread is away a request is answered in its place; one that waits goes on when the thread is back', async () => {
  const { port, pipe, app, address } = await piped((_request, response) => void response.end('here'));
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'here');
  pipe.setApp(undefined);
  const waiting = fetch(`http://127.0.0.1:${port}/`);
  pipe.setApp(address);
  assert.equal(await (await waiting).text(), 'here');
  app.closeAllConnections();
  await new Promise((closed) => app.close(closed));
  const refused = await fetch(`http://127.0.0.1:${port}/`);
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [503, '1']);
});

test('a request over the pipe without the seal is cut off', async () => {
  const { address, seen } = await piped((_request, response) => void response.end());
  const stranger = connect({ path: address.path }).on('error', () => {});
  stranger.write(`GET / HTTP/1.1\r\nX-Pulse-Seal: ${'x'.repeat(address.seal.length)} 1 127.0.0.1\r\n\r\n`);
  await once(stranger, 'close');
  assert.equal(seen.length, 0);
});

/** Fields that node:http reads itself when it takes a message or writes one. */
const FIELDS: Readonly<Record<string, string>> = {
  Trailer: 'x',
  TE: 'trailers, deflate',
  Connection: 'close, Trailer',
  'Keep-Alive': 'timeout=1',
  'Proxy-Connection': 'close',
  'Proxy-Authorization': 'Basic eA==',
  Upgrade: 'h2c',
  'HTTP2-Settings': 'AAMAAABkAARAAAAAAAIAAAAA',
  Date: 'no date',
  'Content-Disposition': 'attachment; filename="\u00e9"',
  'Content-Length': '0',
  'Content-Encoding': 'gzip',
  'Transfer-Encoding': 'chunked',
  Expect: '100-continue',
  Cookie: 'a=1; b=2',
  'Set-Cookie': 'a=1',
  'X-Pulse-Seal': 'x 1 9.9.9.9',
  Via: '\u00ff\t',
};

test('each field that node:http treats specially goes through the pipe, also while the thread starts', async () => {
  const { port, pipe, address, seen, refused } = await piped((_request, response) => void response.end('whole'));
  const ask = async (method: string, field: string): Promise<string | undefined> => {
    const body = field === 'Transfer-Encoding' ? '0\r\nX: trailer\r\n\r\n' : '';
    const request = `${method} / HTTP/1.1\r\nHost: a\r\n${field}: ${FIELDS[field]}\r\n\r\n${body}`;
    const answers = await rawHttp(port, Buffer.from(request, 'latin1'), { answers: field === 'Expect' ? 2 : 1 });
    return answers.at(-1)?.body;
  };
  for (const method of ['GET', 'POST', 'DELETE'])
    for (const field of Object.keys(FIELDS)) assert.equal(await ask(method, field), 'whole', `${method} ${field}`);
  pipe.setApp(undefined);
  const waiting = Object.keys(FIELDS).map((field) => ask('POST', field));
  const before = seen.length;
  pipe.setApp(address);
  assert.deepEqual(
    await Promise.all(waiting),
    waiting.map(() => 'whole'),
  );
  assert.deepEqual([seen.length - before, refused], [waiting.length, []]);
});

test('a head that node:http does not write is answered 400', async () => {
  const { pipe, refused } = await piped((_request, response) => void response.end());
  const { relayed } = fakeRequest({ rawHeaders: ['X', 'line\nfeed'] });
  pipe.hand(relayed);
  assert.deepEqual(
    refused.map(({ code }) => code),
    ['bad_request'],
  );
});

for (const [name, fields] of [
  ['Trailer', ['Trailer', 'x']],
  ['Connection', ['Connection', 'close']],
  ['Keep-Alive', ['Keep-Alive', 'timeout=1']],
] as const)
  test(`an answer with the field ${name} reaches the client`, async () => {
    const { port } = await piped(
      (_request, response) => void response.writeHead(200, ['Transfer-Encoding', 'chunked', ...fields]).end('whole'),
    );
    assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'whole');
  });

test('a connection has one request behind the pipe at a time, and its answers keep their order', async () => {
  let under = 0;
  let most = 0;
  const { port, app } = await piped((request, response) => {
    most = Math.max(most, ++under);
    setImmediate(() => {
      under -= 1;
      response.end(request.url);
    });
  });
  let connections = 0;
  app.on('connection', () => connections++);
  const paths = Array.from({ length: 300 }, (_, n) => `/${n}`);
  const answers = await rawHttp(port, paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`).join(''), {
    answers: paths.length,
  });
  assert.deepEqual(
    answers.map(({ body }) => body),
    paths,
  );
  assert.equal(most, 1);
  assert.ok(connections <= 2, String(connections));
});

test('what follows on a connection is not read while a request waits for its turn', async () => {
  let answer = (): void => {};
  const { port, seen } = await piped((_request, response) => {
    answer = () => void response.end();
  });
  const client = connect(port, '127.0.0.1').on('error', quiet);
  const chunk = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(1000);
  client.write(chunk);
  await eventually(() => seen.length === 1);
  // More than the kernel keeps for a connection that is not read.
  const flood = Buffer.from(chunk.repeat(600));
  client.write(flood);
  await eventually(() => client.bytesWritten > chunk.length);
  answer();
  await eventually(() => seen.length === 2);
  assert.ok(client.writableLength > 0, 'the rest waits in the client');
  client.destroy();
});

test('relays of all connections are bounded; a client that leaves gives its place to the next', async () => {
  const { port, app, seen } = await piped((request, response) => {
    if (request.url === '/short') response.end('short');
  }, 2);
  let connections = 0;
  app.on('connection', () => connections++);
  const holders = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', quiet));
  for (const holder of holders) holder.write('GET /long HTTP/1.1\r\nHost: a\r\n\r\n');
  await eventually(() => seen.length === 2);
  const waiting = fetch(`http://127.0.0.1:${port}/short`);
  for (const holder of holders) holder.destroy();
  assert.equal(await (await waiting).text(), 'short');
  assert.ok(connections <= 6, 'those that waited and left were not relayed');
});

test('one client holds half of the relays at most, whatever it holds open; another is served at once', async () => {
  const { port, seen } = await piped((request, response) => {
    if (request.url === '/short') response.end('short');
  }, 4);
  const holders = Array.from({ length: 6 }, () => connect(port, '127.0.0.1').on('error', quiet));
  for (const holder of holders) holder.write('GET /long HTTP/1.1\r\nHost: a\r\nX-Client: greedy\r\n\r\n');
  await eventually(() => seen.length === 2);
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/short`)).text(), 'short');
  assert.equal(seen.length, 3, 'the others of the greedy client wait');
  for (const holder of holders) holder.destroy();
});

test('a body that waits for its turn comes whole', async () => {
  const { port } = await piped(async (request, response) => {
    let length = 0;
    for await (const chunk of request) length += (chunk as Buffer).length;
    response.end(String(length));
  });
  const post = (length: number): string =>
    `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\n${'x'.repeat(length)}`;
  const answers = await rawHttp(port, [300_000, 7, 200_000, 9].map(post).join(''), { answers: 4 });
  assert.deepEqual(
    answers.map(({ body }) => body),
    ['300000', '7', '200000', '9'],
  );
});

/** A request whose answer it is the turn of, without a connection. */
function fakeRequest(given: Partial<IncomingMessage> = {}) {
  const response = Object.assign(new EventEmitter(), {
    socket: {} as unknown,
    status: 0,
    writeHead(status: number) {
      this.status = status;
      return this;
    },
    end: quiet,
  });
  const request = { method: 'GET', url: '/', rawHeaders: [], headers: {}, httpVersionMinor: 1, ...given };
  const socket = Object.assign(new EventEmitter(), { pause: quiet, resume: quiet, remoteAddress: '192.0.2.1' });
  const relayed = { request: { socket, ...request }, response } as unknown as RelayRequest;
  return { relayed, response, socket };
}

test('so many requests wait for the thread and no more: a further one is refused at once', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const refused: Problem[] = [];
  const pipe = new AppPipe({
    relaysMax: 1,
    log,
    clientOf: () => '',
    refuse: (_relayed, problem) => void refused.push(problem),
  });
  const waiting = Array.from({ length: QUEUE_MAX }, () => fakeRequest());
  for (const { relayed } of waiting) pipe.hand(relayed);
  assert.deepEqual(refused, []);
  pipe.hand(fakeRequest().relayed);
  assert.deepEqual(
    refused.map(({ code }) => code),
    ['not_ready'],
  );
  waiting[0]!.response.emit('close');
  pipe.hand(fakeRequest().relayed);
  assert.equal(refused.length, 1, 'a place is free');
  t.mock.timers.tick(60_000);
  assert.equal(refused.length, QUEUE_MAX + 1, 'none waits for ever');
});

test('so many requests wait behind others of their connections and no more', () => {
  const refused: Problem[] = [];
  const pipe = new AppPipe({
    relaysMax: 1,
    log,
    clientOf: () => '',
    refuse: (_relayed, problem) => void refused.push(problem),
  });
  const behind = Array.from({ length: TURNS_MAX }, () => fakeRequest());
  for (const { relayed, response } of behind) {
    response.socket = null;
    pipe.hand(relayed);
  }
  const hand = (): void => {
    const { relayed, response } = fakeRequest();
    response.socket = null;
    pipe.hand(relayed);
  };
  hand();
  assert.equal(refused.length, 1);
  behind[0]!.socket.emit('close');
  hand();
  assert.equal(refused.length, 1, 'a connection that ended waits for nothing');
});
