import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { after, test } from 'node:test';
import { eventually } from '../../../test/support/eventually.ts';
import { rawHttp } from '../../../test/support/raw-http.ts';
import { AppPipe, newAppPipe, peerAddress, unseal } from './app-pipe.ts';
import { dropRestOfBody } from './closing-connections.ts';

type Answer = Parameters<typeof createServer>[1] & {};

const servers: Server[] = [];
after(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** A front with a pipe to `answer`; `seen` are the requests that came through. */
async function piped(answer: Answer) {
  const address = newAppPipe();
  const seen: IncomingMessage[] = [];
  const app = createServer({ requireHostHeader: false }, (request, response) => {
    if (!unseal(request, address.seal)) return void request.socket.destroy();
    seen.push(request);
    answer(request, response);
  });
  app.listen({ path: address.path });
  const pipe = new AppPipe(address, (_request, response) => void response.writeHead(503, { 'Retry-After': '1' }).end());
  const front = createServer({ requireHostHeader: false, optimizeEmptyRequests: true }, (request, response) => {
    if (!request.readableEnded) dropRestOfBody(request, response);
    pipe.hand(request, response);
  });
  front.listen(0, '127.0.0.1');
  servers.push(app, front);
  await Promise.all([once(app, 'listening'), once(front, 'listening')]);
  pipe.setOpen(true);
  return { address, pipe, app, seen, port: (front.address() as AddressInfo).port };
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

test('the head of a request arrives before any of its body', async () => {
  const { port } = await piped((_request, response) => void response.writeHead(413).end());
  const [answer] = await rawHttp(port, 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n', { answers: 1 });
  assert.equal(answer?.status, 413);
});

test('a connection goes on behind a body that was answered before it had come', async () => {
  const { port } = await piped((request, response) => {
    dropRestOfBody(request, response);
    response.writeHead(413, { 'Content-Length': 0 }).end();
  });
  const body = 'x'.repeat(3_000_000);
  const request = `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const answers = await rawHttp(port, request.repeat(2), { answers: 2 });
  assert.deepEqual(answers.map(({ status }) => status), [413, 413]); // biome-ignore format: one line
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
  leaver.write('POST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf');
  await eventually(() => seen.length === 1);
  leaver.destroy();
  await eventually(() => seen[0]!.destroyed && !seen[0]!.complete);
  await assert.rejects(fetch(`http://127.0.0.1:${port}/cut`).then((answer) => answer.text()));
});

test('while the thread is away a request is answered in its place; one that waits goes on when the thread is back', async () => {
  const { port, pipe, app } = await piped((_request, response) => void response.end('here'));
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/`)).text(), 'here');
  pipe.setOpen(false);
  const waiting = fetch(`http://127.0.0.1:${port}/`);
  pipe.setOpen(true);
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
