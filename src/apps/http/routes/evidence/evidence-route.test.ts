import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { covers } from '../../../../../test/spec/covers.ts';
import { CATALOGUE, senderNameFault } from '../../../../adapters/feeds/catalogue.ts';
import type { Account, ApiKey } from '../../../../core/caller/caller.ts';
import type { Heartbeat } from '../../../../core/collection/tally/collection-tally.ts';
import { unixMs } from '../../../../core/units.ts';
import type { IntakeReply, IntakeRequest, SentBody } from '../../../../service/intake/accept-captures.ts';
import { createHttpServer, type HttpServer } from '../../connection/create-http-server.ts';
import type { HttpServices } from '../../services.ts';
import { evidenceRoute } from './evidence-route.ts';

const LIMITS = { source: 's', kinds: ['honeypot_scan'], prefixes: false } as const;
const keyOf = (secret: string): ApiKey =>
  ({
    id: 'key',
    ...(secret === 'sensor' ? { sends: LIMITS } : {}),
    ...(secret === 'operator' ? { evidence: 'addresses' } : {}),
  }) as unknown as ApiKey;
const quiet = (): void => {};
const services = {
  clock: { now: () => unixMs(1_795_000_000_123) },
  log: { error: quiet, warn: quiet, info: quiet, debug: quiet },
  ledger: { flushed: () => undefined },
  keys: {
    remembered: () => undefined,
    find: (secret: string) => ({
      status: 'ok',
      account: { id: secret, operator: secret !== 'customer' } as Account,
      key: keyOf(secret),
    }),
  },
  limiter: { take: () => undefined, giveBack: () => {} },
  view: () => undefined,
  trustedProxies: [],
  baseUrl: 'http://127.0.0.1',
} as unknown as HttpServices;

const OUTCOME = { lines: 1, accepted: 1, added: 1, refused: {} };
let reply: IntakeReply = { status: 'taken', outcome: OUTCOME };
const taken: (readonly [body: string, gzip: boolean, request: IntakeRequest])[] = [];
const heard: Heartbeat[] = [];
let http: HttpServer;
let base = '';
before(async () => {
  const accept = async ({ bytes, gzip }: SentBody, request: IntakeRequest): Promise<IntakeReply> => {
    taken.push([new TextDecoder().decode(bytes), gzip, request]);
    return reply;
  };
  http = createHttpServer({
    idPrefix: 't-',
    services,
    plugins: [evidenceRoute({ accept, heartbeat: async (heartbeat) => void heard.push(heartbeat), senderNameFault })],
  });
  base = `http://127.0.0.1:${await http.listen({ host: '127.0.0.1', port: 0, reusePort: false })}`;
});
after(() => http.close(100));

const LINE = '{"ip":"198.14.0.1","risk_type":"proxy"}\n';
async function ask(
  key: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  query = '?source=s',
): Promise<Response> {
  taken.length = 0;
  heard.length = 0;
  return fetch(`${base}/v1/evidence${query}`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/x-ndjson', ...headers },
    body,
  });
}
async function send(...sent: Parameters<typeof ask>): Promise<readonly [number, string | undefined]> {
  const response = await ask(...sent);
  return [response.status, ((await response.json()) as { error?: { code: string } }).error?.code];
}

test('a caller who may not send captures is refused before anything about the body', async () => {
  covers('ERR-ORDER');
  covers('EV-RIGHT');
  assert.deepEqual(await send('customer', LINE), [403, 'forbidden']);
  assert.deepEqual(await send('looker', LINE), [403, 'forbidden'], 'a key of an operator that was made for lookups');
  assert.deepEqual(await send('looker', '', { 'X-Pulse-Sent-At': '1795000000000' }), [403, 'forbidden']);
  assert.deepEqual(heard, []);
  assert.deepEqual(await send('customer', ' '.repeat(9_000_000)), [403, 'forbidden']);
  assert.deepEqual(await send('customer', LINE, { 'Content-Type': 'text/plain' }), [403, 'forbidden']);
  assert.deepEqual(taken, []);
});

test('a send-only key sends captures', async () => {
  const response = await ask('sensor', LINE);
  assert.deepEqual([response.status, await response.json()], [202, OUTCOME]);
});

test('a send-only key speaks and shows itself as its own source alone', async () => {
  const sentAt = { 'X-Pulse-Sent-At': '1794999995000' };
  for (const query of ['?source=s', '']) {
    assert.deepEqual(await send('sensor', LINE, {}, query), [202, undefined]);
    assert.deepEqual(
      taken.map(([, , { source, key }]) => [source, key]),
      [['s', { id: 'key', sends: LIMITS }]],
    );
    assert.equal((await ask('sensor', '', sentAt, query)).status, 202);
    assert.equal(heard[0]?.source, 's');
  }
  for (const query of ['?source=sensor-2', '?source=derived', '?source=feodo', '?source=s&source=s', '?source=']) {
    assert.deepEqual(await send('sensor', LINE, {}, query), [403, 'forbidden'], query);
    assert.deepEqual(await send('sensor', '', sentAt, query), [403, 'forbidden'], query);
    assert.deepEqual([taken, heard], [[], []], 'neither rows nor a heartbeat');
  }
});

test('no sender takes the name of a list or a word of the service, with rows or with a heartbeat', async () => {
  const names = [
    ...CATALOGUE.map(({ id }) => id),
    'derived',
    'override',
    'beacon',
    'beacon.bcn_1',
    'pulse',
    'Sensor',
    'a b',
    '',
  ];
  for (const name of names)
    for (const headers of [{}, { 'X-Pulse-Sent-At': '1794999995000' }]) {
      assert.deepEqual(
        await send('operator', LINE, headers, `?source=${encodeURIComponent(name)}`),
        [400, 'bad_request'],
        name,
      );
      assert.deepEqual([taken, heard], [[], []], name);
    }
  assert.deepEqual(await send('operator', LINE, {}, '?source=sensor-2'), [202, undefined]);
});

test('each body arrives with its form, its sender and the name it was given', async () => {
  const cases: readonly (readonly [
    headers: Record<string, string>,
    gzip: boolean,
    format: string,
    id: string | undefined,
  ])[] = [
    [{}, false, 'ndjson', undefined],
    [{ 'Content-Encoding': 'identity' }, false, 'ndjson', undefined],
    [{ 'Content-Type': 'application/jsonl', 'Content-Encoding': 'GZIP' }, true, 'ndjson', undefined],
    [
      { 'Content-Type': 'Text/CSV; charset=utf-8', 'Idempotency-Key': 'sensor-1.batch_7' },
      false,
      'csv',
      'sensor-1.batch_7',
    ],
  ];
  for (const [headers, gzip, format, id] of cases) {
    assert.deepEqual(await send('operator', LINE, headers), [202, undefined], JSON.stringify(headers));
    assert.deepEqual(taken, [
      [
        LINE,
        gzip,
        {
          source: 's',
          format,
          at: 1_795_000_000_123,
          account: 'operator',
          id,
          key: { id: 'key', evidence: 'addresses' },
        },
      ],
    ]);
  }
});

test('a coding that is not gzip and another media type are refused, not read as broken lines', async () => {
  for (const other of [{ 'Content-Encoding': 'br' }, { 'Content-Type': 'text/plain' }])
    assert.deepEqual(await send('operator', gzipSync(LINE), other), [415, 'unsupported_media_type']);
  assert.deepEqual(taken, []);
});

test('a name of a batch that is not of the documented form is refused', async () => {
  for (const id of ['', 'a b', 'x'.repeat(65), 'a/b', 'a, b'])
    assert.deepEqual(await send('operator', LINE, { 'Idempotency-Key': id }), [400, 'bad_request'], id);
  assert.deepEqual(taken, []);
});

test('an answer of the store leaves as its code, and every answer carries our clock', async () => {
  const cases: readonly (readonly [IntakeReply['status'], number, string])[] = [
    ['differs', 400, 'bad_request'],
    ['damaged_gzip', 400, 'bad_request'],
    ['too_large', 413, 'payload_too_large'],
    ['too_many_lines', 413, 'payload_too_large'],
    ['untrusted', 403, 'forbidden'],
    ['networks_forbidden', 403, 'forbidden'],
    ['busy', 429, 'rate_limited'],
  ];
  for (const [status, code, name] of cases) {
    reply = { status } as IntakeReply;
    const response = await ask('operator', LINE);
    assert.deepEqual(
      [response.status, ((await response.json()) as { error: { code: string } }).error.code],
      [code, name],
    );
    assert.equal(response.headers.get('x-pulse-time'), '1795000000123');
    assert.equal(response.headers.get('retry-after'), status === 'busy' ? '2' : null);
  }
  reply = { status: 'taken', outcome: OUTCOME };
  for (const [key, body, code, more] of [
    ['operator', LINE, 202],
    ['customer', LINE, 403],
    ['operator', ' '.repeat(9_000_000), 413],
    ['operator', LINE, 415, { 'Content-Type': 'text/plain' }],
  ] as const) {
    const response = await ask(key, body, more);
    assert.deepEqual([response.status, response.headers.get('x-pulse-time')], [code, '1795000000123']);
    assert.ok(response.headers.has('date'));
  }
});

test('a request that says when it was sent is heard as a heartbeat, and needs no rows', async () => {
  const heartbeat = { source: 's', seenAt: 1_795_000_000_123, clockOffsetMs: 5123 };
  const sentAt = { 'X-Pulse-Sent-At': '1794999995000' };
  const response = await ask('sensor', '', sentAt);
  assert.deepEqual([response.status, await response.json()], [202, { lines: 0, accepted: 0, added: 0, refused: {} }]);
  assert.deepEqual([heard, taken], [[heartbeat], []]);
  assert.deepEqual(await send('sensor', LINE, sentAt), [202, undefined]);
  assert.deepEqual([heard, taken.length], [[heartbeat], 1]);
  assert.deepEqual(await send('sensor', ''), [400, 'bad_request']);
  for (const wrong of ['now', '-1', '1e9', '1794999995000.5', '9'.repeat(16)])
    assert.deepEqual(await send('sensor', '', { 'X-Pulse-Sent-At': wrong }), [400, 'bad_request'], wrong);
  assert.deepEqual(await send('customer', '', sentAt), [403, 'forbidden']);
  assert.deepEqual(heard, []);
});
