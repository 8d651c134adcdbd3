import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { rawHttp } from '../../../test/support/raw-http.ts';
import { ERRORS, type ErrorCode, type ErrorRow } from '../../contract/errors.ts';
import { unixMs } from '../../core/units.ts';
import { Problem } from '../../service/problem.ts';
import { createHttpServer, type HttpServer } from './create-http-server.ts';
import type { HttpServices } from './services.ts';

/** What the directory of keys throws next. */
let thrown: ErrorCode = 'internal_error';
const quiet = (): void => {};
const services = {
  clock: { now: () => unixMs(Date.parse('2026-11-20T12:00:30Z')) },
  log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  ledger: {
    charge: () => ({ ok: true, minute: undefined, receipt: undefined }),
    refund: quiet,
    flushed: () => undefined,
  },
  limiter: { take: () => undefined, giveBack: quiet },
  keys: {
    remembered: () => {
      throw new Problem(thrown);
    },
  },
  view: () => undefined,
  trustedProxies: [],
  limits: { anonPerMin: 60, anonPerDay: 60, assistantPerMin: 1, assistantPerDay: 1 },
} as unknown as HttpServices;

for (const [baseUrl, hsts] of [
  ['http://127.0.0.1', undefined],
  ['https://pulse.example', 'max-age=31536000'],
] as const)
  describe(`a service at ${baseUrl}`, () => {
    let http: HttpServer;
    let port = 0;
    before(async () => {
      http = createHttpServer({ idPrefix: 't-', services: { ...services, baseUrl }, plugins: [] });
      port = await http.listen({ host: '127.0.0.1', port: 0, reusePort: false });
    });
    after(() => http.close(1000));

    for (const [path, origin] of [
      ['/v1/ip/8.8.8.8', '*'],
      ['/pulse/v1/ip/8.8.8.8', undefined],
    ] as const)
      test(`${path} answers every error of the table with the headers of its family`, async () => {
        for (const [code, row] of Object.entries(ERRORS) as [ErrorCode, ErrorRow][]) {
          if (code === 'missing_ip') continue; // in a tool's result alone
          thrown = code;
          const [answer] = await rawHttp(port, `GET ${path} HTTP/1.1\r\nHost: a\r\nX-API-Key: pk_x\r\n\r\n`, {
            answers: 1,
          });
          const { status, headers, body } = answer!;
          assert.equal(status, row.status, code);
          const { error } = JSON.parse(body) as {
            readonly error: { readonly code: string; readonly retry_after?: number };
          };
          assert.deepEqual([error.code, error.retry_after], [code, row.retryAfterSec], code);
          assert.match(headers['x-request-id'] ?? '', /^t-/, code);
          const { 'x-request-id': _, date: _date, ...rest } = headers;
          assert.deepEqual(
            rest,
            {
              'x-content-type-options': 'nosniff',
              ...(hsts !== undefined && { 'strict-transport-security': hsts }),
              ...(origin !== undefined && {
                'access-control-allow-origin': origin,
                'access-control-expose-headers': rest['access-control-expose-headers'],
              }),
              'cache-control': 'no-store',
              ...(row.retryAfterSec !== undefined && { 'retry-after': String(row.retryAfterSec) }),
              ...(row.status === 401 && { 'www-authenticate': 'Bearer' }),
              ...(row.status === 405 && { allow: origin === undefined ? 'GET, HEAD' : 'GET, HEAD, OPTIONS' }),
              'content-type': 'application/json; charset=utf-8',
              'content-length': String(Buffer.byteLength(body)),
              connection: 'keep-alive',
              'keep-alive': 'timeout=65',
            },
            code,
          );
        }
      });

    for (const [name, request] of Object.entries({
      'an unknown protocol': 'nonsense\r\n\r\n',
      'an unknown method': 'FOO /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: a\r\n\r\n',
      'an expectation': 'POST /v1/ip/batch HTTP/1.1\r\nHost: a\r\nExpect: the-moon\r\nContent-Length: 0\r\n\r\n',
      'a head that is too long': `GET /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: a\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
      CONNECT: 'CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n',
      'a preflight': 'OPTIONS /v1/ip/8.8.8.8 HTTP/1.1\r\nHost: a\r\n\r\n',
    }))
      test(`the answer to ${name} carries what every answer does`, async () => {
        const [answer] = await rawHttp(port, request, { answers: 1 });
        assert.deepEqual(
          [answer!.headers['x-content-type-options'], answer!.headers['strict-transport-security']],
          ['nosniff', hsts],
        );
        assert.match(answer!.headers['x-request-id'] ?? '', /^t-/);
      });
  });
