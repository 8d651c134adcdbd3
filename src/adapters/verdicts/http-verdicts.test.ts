import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, beforeEach, describe, test } from 'node:test';
import { freePort } from '../../../test/support/free-port.ts';
import type { Address } from '../../core/ip/address.ts';
import { type Said, worded } from '../../core/texts/said.ts';
import { HttpVerdicts, type HttpVerdictsOptions } from './http-verdicts.ts';

interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: { readonly ips: readonly string[]; readonly at?: string };
}
interface Reply {
  readonly status: number;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The service: answers with the replies that the test gives, one after another, and then with verdicts. */
let server: Server;
let replies: (Reply | 'hang up')[];
let asked: Asked[];
let waits: string[];

before(async () => {
  server = createServer(async (request, response) => {
    const body = (await json(request)) as Asked['body'];
    asked.push({ path: request.url!, headers: request.headers, body });
    const reply = replies.shift();
    if (reply === 'hang up') request.socket.destroy();
    else if (reply !== undefined)
      response
        .writeHead(reply.status, reply.headers)
        .end(JSON.stringify({ error: { code: reply.code, message: 'Because.' } }));
    else
      response
        .writeHead(200, { 'x-pulse-degraded': '1' })
        .end(JSON.stringify({ results: body.ips.map((ip) => ({ ip })) }));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
after(() => server.close());
beforeEach(() => {
  [replies, asked, waits] = [[], [], []];
});

const verdicts = (more: Partial<HttpVerdictsOptions> = {}): HttpVerdicts =>
  new HttpVerdicts({
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    key: 'pk_test',
    professional: false,
    at: undefined,
    signal: new AbortController().signal,
    onWait: (wait) => waits.push(worded(wait)),
    ...more,
  });
const addresses = (count: number): readonly Address[] =>
  Array.from({ length: count }, (_, i) => ({ family: 4, w0: 0x0102_0000 + i, w1: 0, w2: 0, w3: 0 }));
const ipsOf = (documents: readonly object[]) => documents.map((document) => (document as { ip: string }).ip);

test('addresses are asked for in batches, answers come in their order, and the key goes with each', async () => {
  const source = verdicts();
  const ips = ipsOf(await source.verdictsOf(addresses(2500)));
  assert.deepEqual([ips.length, ips[0], ips[2499]], [2500, '1.2.0.0', '1.2.9.195']);
  assert.deepEqual(asked.map(({ body }) => body.ips.length).toSorted(), [1000, 1000, 500]);
  assert.ok(asked.every(({ path, headers }) => path === '/pulse/v1/ip/batch' && headers['x-api-key'] === 'pk_test'));
  assert.equal(source.degraded, true);
});

test('without a key the free endpoint is asked', async () => {
  await verdicts({ key: undefined }).verdictsOf(addresses(1));
  assert.deepEqual([asked[0]!.path, asked[0]!.headers['x-api-key']], ['/v1/ip/batch', undefined]);
});

test('a key without the professional tier asks the free endpoint from then on, unless its fields are needed', async () => {
  replies = [{ status: 403, code: 'professional_required' }];
  const source = verdicts();
  await source.verdictsOf(addresses(1));
  await source.verdictsOf(addresses(1));
  const paths = asked.map(({ path }) => path);
  assert.deepEqual(paths, ['/pulse/v1/ip/batch', '/v1/ip/batch', '/v1/ip/batch']);
  replies = [{ status: 403, code: 'professional_required' }];
  await assert.rejects(verdicts({ professional: true }).verdictsOf(addresses(1)), /403 professional_required: Because/);
});

test('a moment stands in the body', async () => {
  await verdicts({ at: '2026-11-20T00:00:00.000Z', professional: true }).verdictsOf(addresses(1));
  assert.equal(asked[0]!.body.at, '2026-11-20T00:00:00.000Z');
});

describe('a server that cannot answer now', () => {
  test('is asked again after the wait that it names, and after a lost connection', async () => {
    replies = ['hang up', { status: 429, code: 'rate_limited', headers: { 'retry-after': '1' } }];
    assert.deepEqual(ipsOf(await verdicts().verdictsOf(addresses(1))), ['1.2.0.0']);
    assert.equal(asked.length, 3);
    assert.match(waits[1]!, /wait 1 s \(429 rate_limited\)/);
  });

  test('that has no allowance left today ends the work', async () => {
    replies = [{ status: 429, code: 'quota_exceeded', headers: { 'retry-after': '40000' } }];
    await assert.rejects(verdicts().verdictsOf(addresses(1)), /429 quota_exceeded: Because/);
  });

  test('for as many addresses gets smaller batches', async () => {
    const tooMany = { status: 429, code: 'batch_over_rate_limit' };
    replies = [tooMany, tooMany];
    const source = verdicts();
    assert.equal((await source.verdictsOf(addresses(600))).length, 600);
    assert.deepEqual(
      asked.slice(0, 3).map(({ body }) => body.ips.length),
      [600, 300, 150],
    );
    assert.ok(asked.slice(2).every(({ body }) => body.ips.length <= 150));
    assert.equal(new Set(asked.slice(2).flatMap(({ body }) => body.ips)).size, 600);
  });

  test('is given up when the work is stopped', async () => {
    replies = [{ status: 503, code: 'not_ready', headers: { 'retry-after': '600' } }];
    const stopping = new AbortController();
    await assert.rejects(
      verdicts({ signal: stopping.signal, onWait: () => stopping.abort() }).verdictsOf(addresses(1)),
      { name: 'AbortError' },
    );
  });
});

test('a refused key ends the work, and neither it nor the address is in the message', async () => {
  replies = [{ status: 401, code: 'invalid_key' }];
  await assert.rejects(
    verdicts().verdictsOf(addresses(1)),
    (error: Error) => /401 invalid_key/.test(error.message) && !/pk_test|127\.0/.test(error.message),
  );
});

test('a server that is away is waited for', async () => {
  const stopping = new AbortController();
  const url = `http://127.0.0.1:${await freePort()}`;
  const onWait = (wait: Said): void => {
    const reason = worded(wait);
    waits.push(reason);
    stopping.abort();
  };
  await assert.rejects(verdicts({ url, signal: stopping.signal, onWait }).verdictsOf(addresses(1)));
  assert.match(waits[0]!, /ECONNREFUSED/);
});
