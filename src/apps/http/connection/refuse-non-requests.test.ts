import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { covers } from '../../../../test/spec/covers.ts';
import { rawHttp } from '../../../../test/support/raw-http.ts';
import { ERRORS } from '../../../contract/errors.ts';
import type { ChargeRequest } from '../../../core/quota/quota.ts';
import { unixMs } from '../../../core/units.ts';
import { routesOf } from '../routes.ts';
import type { HttpServices } from '../services.ts';
import { createHttpServer, type HttpServer } from './create-http-server.ts';

const at = unixMs(Date.parse('2026-11-20T12:00:30Z'));
const window = { limit: 60, remaining: 59, resetsAt: unixMs(at + 30_000) };
const LOOKUP = '/v1/ip/zz';
const HOST = 'Host: a\r\n';

const quiet = (): void => {};
const services = {
  clock: { now: () => at },
  log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  ledger: {
    charge: ({ units }: ChargeRequest) => ({ ok: true, minute: window, receipt: { units, dayNumber: 1, ids: [] } }),
    refund: quiet,
    flushed: () => undefined,
  },
  limiter: { take: () => undefined, giveBack: () => {} },
  view: () => undefined,
  trustedProxies: [],
  limits: { anonPerMin: 60, anonPerDay: 60, assistantPerMin: 1, assistantPerDay: 1 },
  baseUrl: 'http://127.0.0.1',
} as unknown as HttpServices;

let http: HttpServer;
let port = 0;
before(async () => {
  const plugin = (app: import('fastify').FastifyInstance): void => {
    app.get('/thing', async () => ({ thing: true }));
    app.post('/body', { bodyLimit: 100 }, async () => ({}));
  };
  const routes = routesOf('', ['GET', '/thing', undefined, 'fixed'], ['POST', '/body', undefined, 'write']);
  http = createHttpServer({ idPrefix: 't-', services, plugins: [plugin], routes });
  port = await http.listen({ host: '127.0.0.1', port: 0, reusePort: false });
});
after(() => http.close(100));

interface Answer {
  readonly status: number;
  readonly code: string | undefined;
  readonly allow: string | undefined;
}

/** @param count answers that come for sure; a busy machine may be quiet for long between two of them */
async function answers(text: string, count?: number): Promise<readonly Answer[]> {
  const raw = await rawHttp(port, text, count === undefined ? {} : { answers: count, quietMs: 20_000 });
  return raw.map(({ status, headers, body }) => {
    assert.match(headers['x-request-id'] ?? '', /^t-/);
    assert.match(headers['content-type'] ?? '', /^application\/json/);
    return { status, code: (JSON.parse(body) as { error?: { code: string } }).error?.code, allow: headers['allow'] };
  });
}

const notAllowed = (allow: string): Answer => ({ status: 405, code: 'method_not_allowed', allow });
const UNKNOWN: Answer = { status: 404, code: 'not_found', allow: undefined };
const BROKEN: Answer = { status: 400, code: 'bad_request', allow: undefined };

test('an unknown method is 405 on a known path and 404 on an unknown one, as any other method that is not taken', async () => {
  covers('ERR-METHOD', 'ERR-not_found');
  for (const method of ['FOO', 'get', 'GETT', 'X-Y', 'P', 'QUERY', 'PURGE']) {
    assert.deepEqual(
      await answers(`${method} ${LOOKUP} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`),
      [notAllowed('GET, HEAD, OPTIONS')],
      method,
    );
    assert.deepEqual(
      await answers(`${method} /pulse${LOOKUP}?a=b HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`),
      [notAllowed('GET, HEAD')],
      method,
    );
    assert.deepEqual(
      await answers(`${method} http://a/thing HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`),
      [notAllowed('GET, HEAD')],
      method,
    );
    assert.deepEqual(
      await answers(`${method} /nothing HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`),
      [UNKNOWN],
      method,
    );
  }
  for (const noRequest of [
    `FOO ${LOOKUP}\r\n\r\n`,
    `FOO ${LOOKUP} HTTP/3\r\n\r\n`,
    'FOO  HTTP/1.1\r\n\r\n',
    '\x16\x03\x01\x02\r\n',
  ])
    assert.deepEqual(await answers(noRequest), [BROKEN], JSON.stringify(noRequest));
});

test('an unknown path or method is reported before anything of the body is', async () => {
  covers('ERR-ORDER');
  const send = (line: string, body: string): string =>
    `${line} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
  for (const body of ['{', 'x'.repeat(1000)]) {
    assert.deepEqual(await answers(send('POST /nothing', body)), [UNKNOWN]);
    assert.deepEqual(await answers(send('PUT /body', body)), [notAllowed('POST')]);
  }
});

test('a whole request before the broken part of a connection is answered first', async () => {
  covers('ERR-EVERY-PATH');
  const whole = `GET /thing HTTP/1.1\r\n${HOST}\r\n`;
  const [first, second, ...none] = await answers(
    `${whole}GET ${LOOKUP} HTTP/1.1\r\n${HOST}\r\nFOO /thing HTTP/1.1\r\n\r\n`,
  );
  assert.deepEqual([first?.status, second?.code, none], [200, 'invalid_ip', [notAllowed('GET, HEAD')]]);
  assert.deepEqual((await answers(`${whole}${whole}\0\r\n\r\n`)).slice(0, 2), [
    { status: 200, code: undefined, allow: undefined },
    { status: 200, code: undefined, allow: undefined },
  ]);
});

test('HTTP/1.1 needs exactly one Host line, on every path; HTTP/1.0 none', async () => {
  for (const path of [LOOKUP, '/thing', '/nothing'])
    for (const hosts of ['', `${HOST}${HOST}`, `${HOST}Host: b\r\n`])
      assert.deepEqual(
        await answers(`GET ${path} HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`),
        [BROKEN],
        `${path} ${hosts}`,
      );
  assert.equal((await answers('GET /thing HTTP/1.0\r\n\r\n'))[0]?.status, 200);
});

test('targets that are not a path lead nowhere', async () => {
  for (const target of ['*', 'http://a?b=c', '//thing'])
    assert.deepEqual(await answers(`GET ${target} HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`), [UNKNOWN], target);
});

test('a body that is too large is read to its end, so that its sender gets to read why it was refused', async () => {
  covers('ERR-payload_too_large');
  const body = Buffer.alloc(20_000_000, 0x20);
  for (let round = 0; round < 10; round++) {
    const response = await fetch(`http://127.0.0.1:${port}/body`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body,
    });
    assert.equal(response.status, 413);
    assert.match(await response.text(), /payload_too_large/);
  }
  const chunks = `${'ffff\r\n'}${' '.repeat(0xffff)}\r\n`.repeat(20);
  const chunked = `POST /body HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`;
  const next = `GET /thing HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`;
  const statuses = (await answers(chunked + next, 2)).map(({ status }) => status);
  assert.deepEqual(statuses, [413, 200]);
});

test('a head that does not come in time is refused soon after its time is up', async () => {
  http.server.headersTimeout = 100;
  try {
    assert.deepEqual(await answers('GET /thing HTTP/1.1\r\nHost:'), [BROKEN]);
    const ahead = connect(port, '127.0.0.1');
    assert.equal(await text(ahead), '', 'a connection that a browser opened ahead of need');
  } finally {
    http.server.headersTimeout = 10_000;
  }
});

const CHUNKED = '2\r\n{}\r\n0\r\n\r\n';

test('a body in any coding but chunked is answered 501 and ends its connection', async () => {
  covers('ERR-CODING');
  for (const coding of ['gzip, chunked', 'identity, chunked', 'x, chunked', 'gzip,chunked', ',chunked'])
    for (const line of ['POST /body', 'GET /thing', 'GET /v1/ip/zz', 'POST /unknown']) {
      const request = `${line} HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
      const [answer, ...more] = await rawHttp(port, `${request}${CHUNKED}GET /thing HTTP/1.1\r\n${HOST}\r\n`);
      assert.deepEqual(
        [answer!.status, answer!.headers['connection'], (JSON.parse(answer!.body) as { error: object }).error, more],
        [501, 'close', { code: 'bad_request', message: ERRORS.bad_request.message }, []],
        `${line} ${coding}`,
      );
    }
});

test('chunked alone is read, in any case; in HTTP/1.0 its answer is the last', async () => {
  const request = (version: string, coding: string): string =>
    `POST /body HTTP/1.${version}\r\n${HOST}Connection: keep-alive\r\nContent-Type: application/json\r\nTransfer-Encoding: ${coding}\r\n\r\n${CHUNKED}`;
  const statuses = async (text: string) =>
    (await rawHttp(port, text)).map(({ status, headers }) => [status, headers['connection']]);
  assert.deepEqual(await statuses(request('1', 'Chunked').repeat(2)), [
    [200, 'keep-alive'],
    [200, 'keep-alive'],
  ]);
  assert.deepEqual(await statuses(request('0', 'chunked').repeat(2)), [[200, 'close']]);
});
