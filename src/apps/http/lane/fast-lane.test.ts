import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { rawHttp } from '../../../../test/support/raw-http.ts';
import { testFolder } from '../../../../test/support/test-folder.ts';
import { ERRORS, type ErrorCode, type ErrorRow } from '../../../contract/errors.ts';
import { unixMs } from '../../../core/units.ts';
import { Problem } from '../../../service/problem.ts';
import { newAppPipe, takeSeal } from '../connection/app-pipe.ts';
import { createHttpServer, type HttpServer } from '../connection/create-http-server.ts';
import type { HttpServices } from '../services.ts';

/** Next error of the directory of keys. */
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
      test(`the answer to ${name} carries the headers of every answer`, async () => {
        const [answer] = await rawHttp(port, request, { answers: 1 });
        assert.deepEqual(
          [answer!.headers['x-content-type-options'], answer!.headers['strict-transport-security']],
          ['nosniff', hsts],
        );
        assert.match(answer!.headers['x-request-id'] ?? '', /^t-/);
      });
  });

test('a lookup thread answers a batch; one about the past, long or of unknown length goes through the pipe whole', async () => {
  const address = newAppPipe(join(testFolder('pipe'), 's'));
  const behind = createServer({ requireHostHeader: false }, async (request, response) => {
    assert.ok(takeSeal(request, address.seal));
    let body = '';
    for await (const chunk of request) body += String(chunk);
    response.end(`behind: ${body}`);
  });
  behind.listen({ path: address.path });
  await once(behind, 'listening');
  const account = { id: 'a', dataTier: 'professional', perMin: 1000, perDay: 1000, overagePct: 0 };
  const http = createHttpServer({
    idPrefix: 't-',
    services: {
      ...services,
      baseUrl: 'http://127.0.0.1',
      ledger: { ...services.ledger, charge: () => ({ ok: true, receipt: { units: 0, dayNumber: 0, ids: [] } }) },
      keys: { ...services.keys, remembered: () => ({ status: 'ok', account, key: { id: 'k', accountId: 'a' } }) },
    } as unknown as HttpServices,
    plugins: { relaysMax: 2 },
  });
  const port = await http.listen({ host: '127.0.0.1', port: 0, reusePort: false });
  http.setApp(address);
  const answerTo = async (body: string, isChunked = false): Promise<string> => {
    const framed = isChunked
      ? `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
      : `Content-Length: ${body.length}\r\n\r\n${body}`;
    const head = 'POST /pulse/v1/ip/batch HTTP/1.1\r\nHost: a\r\nX-API-Key: pk_x\r\nContent-Type: application/json\r\n';
    const [answer] = await rawHttp(port, head + framed, { answers: 1 });
    return answer!.body;
  };
  try {
    const short = '{"ips":["8.8.8.8"]}';
    assert.match(await answerTo(short), /"code":"not_ready"/, 'this thread has no data');
    assert.match(await answerTo('{"ips":[7]}'), /"code":"bad_request"/);
    const long = `{"ips":["${'x'.repeat(64 * 1024)}"]}`;
    for (const [body, isChunked] of [
      ['{"ips":["8.8.8.8"],"at":"2026-11-20T00:00:00Z"}', false],
      [long, false],
      [short, true],
    ] as const)
      assert.equal(await answerTo(body, isChunked), `behind: ${body}`);
  } finally {
    await http.close(1000);
    behind.closeAllConnections();
    behind.close();
  }
});
