import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { writeOkHead } from './response-batch.ts';

const LINES =
  'Access-Control-Allow-Origin: *\r\nContent-Type: application/json; charset=utf-8\r\nX-Request-Id: a: b-1\r\nX-Daily-Remaining: 0\r\n';
const BODY = '{"city":"Köln"}';

const plain = (response: ServerResponse): ServerResponse =>
  response.writeHead(200, [
    ...[
      'Access-Control-Allow-Origin',
      '*',
      'Content-Type',
      'application/json; charset=utf-8',
      'X-Request-Id',
      'a: b-1',
    ],
    ...['X-Daily-Remaining', '0', 'Content-Length', String(Buffer.byteLength(BODY))],
  ]);
const lines = (response: ServerResponse): void => writeOkHead(response, LINES, Buffer.byteLength(BODY));
/** A runtime without the method behind `writeOkHead`. */
const without = (response: ServerResponse): void => {
  const hidden = new Proxy(response, {
    get: (target, name) => {
      if (name === '_storeHeader') return undefined;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  writeOkHead(hidden, LINES, Buffer.byteLength(BODY));
};

/** Answer to one raw request, byte for byte, the date blanked. */
async function answered(head: (response: ServerResponse) => unknown, requests: string): Promise<string> {
  const server = createServer((_, response) => {
    head(response);
    response.end(BODY);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as { port: number }).port, '127.0.0.1');
  socket.write(requests);
  const received = await text(socket);
  server.close();
  return received.replace(/Date: .*\r\n/g, 'Date: …\r\n');
}

const CASES: Readonly<Record<string, string>> = {
  'keep-alive then close, pipelined':
    'GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  'HTTP/1.0': 'GET / HTTP/1.0\r\n\r\n',
  'HTTP/1.0 that would stay': 'GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET / HTTP/1.0\r\n\r\n',
  HEAD: 'HEAD / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
};

for (const [name, requests] of Object.entries(CASES))
  test(`finished lines leave the same bytes as writeHead: ${name}`, async () => {
    const expected = await answered(plain, requests);
    assert.match(expected, /^HTTP\/1\.1 200 OK\r\n/);
    assert.equal(await answered(lines, requests), expected);
    assert.equal(await answered(without, requests), expected);
  });
