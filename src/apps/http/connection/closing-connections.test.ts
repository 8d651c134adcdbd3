import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { covers } from '../../../../test/spec/covers.ts';
import { ERRORS, type ErrorCode } from '../../../contract/errors.ts';
import { unixMs } from '../../../core/units.ts';
import { Problem } from '../../../service/problem.ts';
import { routesOf } from '../routes.ts';
import type { HttpServices } from '../services.ts';
import type { HttpPlugin } from '../step.ts';
import { DROPPED_BYTES_MAX } from './closing-connections.ts';
import { createHttpServer, type HttpServer } from './create-http-server.ts';

const logged: string[] = [];
const log = (_fields: object, message: string): void => void logged.push(message);
const services = {
  clock: { now: () => unixMs(Date.parse('2026-11-20T12:00:30Z')) },
  log: { error: log, warn: log, info: log, debug: log },
  ledger: {
    charge: () => ({ ok: true, minute: undefined, receipt: undefined }),
    refund: () => undefined,
    flushed: () => undefined,
  },
  limiter: { take: () => undefined, giveBack: () => {} },
  view: () => undefined,
  trustedProxies: [],
  limits: { anonPerMin: 60, anonPerDay: 60, assistantPerMin: 1, assistantPerDay: 1 },
  baseUrl: 'http://127.0.0.1',
} as unknown as HttpServices;

const plugin: HttpPlugin = (app) => {
  app.post('/small', { bodyLimit: 100 }, async () => ({}));
  for (const code of ['key_required', 'phone_disabled'] as const)
    app.post(
      `/${code}`,
      {
        onRequest: async () => {
          throw new Problem(code);
        },
      },
      async () => ({}),
    );
};

let http: HttpServer;
let port = 0;
before(async () => {
  const routes = routesOf(
    '',
    ...['/small', '/key_required', '/phone_disabled'].map((path) => ['POST', path, undefined, 'write'] as const),
  );
  http = createHttpServer({ idPrefix: 't-', services, plugins: [plugin], routes });
  port = await http.listen({ host: '127.0.0.1', port: 0, reusePort: false });
});
after(() => http.close(1000));

/** More than the kernel keeps for both ends: a client whose connection is cut meets the fault while it still sends. */
const SIZE = 8 * 1024 * 1024;
const head = (method: string, path: string, lines = ''): string =>
  `${method} ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${SIZE}\r\n${lines}\r\n`;

const REFUSALS: readonly (readonly [ErrorCode, string])[] = [
  ['key_required', head('POST', '/key_required')],
  ['phone_disabled', head('POST', '/phone_disabled')],
  ['not_found', head('POST', '/nothing')],
  ['method_not_allowed', head('PUT', '/small')],
  ['method_not_allowed', head('POST', '/v1/ip/8.8.8.8')],
  ['payload_too_large', head('POST', '/small')],
  [
    'payload_too_large',
    `POST /small HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${SIZE.toString(16)}\r\n`,
  ],
  ['unsupported_media_type', head('POST', '/small', 'Content-Encoding: gzip\r\n')],
  ['bad_request', head('POST', '/small', 'Expect: x\r\n')],
  ['bad_request', head('POST', '/small').replace('Host: a\r\n', '')],
  // These are not requests: the connection ends whatever was asked for.
  ['bad_request', head('POST', '/small', 'Transfer-Encoding: chunked\r\n')],
  ['payload_too_large', head('POST', '/small', `X: ${'y'.repeat(20_000)}\r\n`)],
  ['not_found', head('FOO', '/nothing')],
  ['method_not_allowed', head('CONNECT', 'a:1')],
];

const PIECE = Buffer.alloc(64 * 1024, 0x20);

/** Writes to the end whatever is answered meanwhile, and reads only then. */
async function answerTo(request: string): Promise<string> {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  let fault = '';
  socket.on('error', ({ message }) => (fault = message));
  await once(socket, 'connect');
  socket.write(request);
  await flood(socket, SIZE);
  socket.end();
  return (await textOf(socket)) || fault;
}

/** @returns how much could be written before the connection was cut */
async function flood(socket: Socket, bytes: number): Promise<number> {
  let wake = (): void => {};
  for (const event of ['drain', 'close']) socket.on(event, () => wake());
  let sent = 0;
  for (; sent < bytes && !socket.destroyed; sent += PIECE.length)
    if (!socket.write(PIECE)) await new Promise<void>((resolve) => (wake = resolve));
  return sent;
}

async function textOf(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (chunk) => (text += String(chunk)));
  if (!socket.destroyed) await once(socket, 'close').catch(() => {});
  return text;
}

for (const connection of ['keep-alive', 'close'])
  test(`a refusal reaches a client that is still sending its body, Connection: ${connection}`, async () => {
    covers('ERR-payload_too_large', 'ERR-EVERY-PATH');
    for (const [code, request] of REFUSALS) {
      const sent = request.replace('\r\n', `\r\nConnection: ${connection}\r\n`);
      const answer = await answerTo(sent);
      const about = `${request.slice(0, 80)}: ${answer}`;
      assert.match(answer, new RegExp(`^HTTP/1\\.1 ${ERRORS[code].status} `), about);
      assert.match(answer, /^x-request-id: t-\S+$/im, about);
      const { error } = JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))) as { error: { code: string } };
      assert.equal(error.code, code, about);
    }
  });

test('reading and dropping has a bound', async () => {
  for (const request of [
    'FOO / HTTP/1.1\r\n\r\n',
    'POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 9999999999\r\n\r\n',
  ]) {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
    socket.on('error', () => {}).resume();
    socket.write(request);
    const sent = await flood(socket, 4 * DROPPED_BYTES_MAX);
    socket.destroy();
    assert.ok(sent >= DROPPED_BYTES_MAX && sent < 4 * DROPPED_BYTES_MAX, `${sent} bytes were taken after ${request}`);
  }
});

test('a connection that cannot be accepted is a line in the log', async () => {
  assert.ok(http.server.emit('error', new Error('accept EMFILE')));
  assert.deepEqual(logged.splice(0), ['a connection could not be accepted']);
});
