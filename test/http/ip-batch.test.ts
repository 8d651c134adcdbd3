/** Batches of lookups over a real server: answers, cost and refusals (decisions 10.1). */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { MINUTE_MS } from '../../src/core/units.ts';
import { createKey, pulseJson } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { MANY_ANONYMOUS } from '../support/pulse-environment.ts';
import type { ServeProcess } from '../support/serve-process.ts';
import { fetchWhole, newClient, sharedService } from '../support/shared-service.ts';

/** Limit of an address without a key. */
const PER_MIN = Number(MANY_ANONYMOUS.PULSE_ANON_PER_MIN);
const PER_DAY = Number(MANY_ANONYMOUS.PULSE_ANON_PER_DAY);
const IPS = [
  '8.8.8.8',
  '1.2.8.4',
  '5.5.5.5',
  '2001:4860::ABCD',
  '11.0.0.1',
  '::ffff:9.9.9.9',
  '64:ff9b::9.9.9.9',
  'x',
  '10.0.0.1',
  '7.7.7.7',
  '8.8.8.8',
  '8.8.8.10',
  ' 8.8.8.8',
  '"\u0000é',
];
const ADDRESSES_WITH_VERDICT = 9;

let server: ServeProcess;
let key: string;
let free: string;

before(async () => {
  server = await sharedService();
  key = createKey(server.dataDir, 'batch-professional', ['--plan', 'professional', '--dpa']).key;
  free = createKey(server.dataDir, 'batch-free', []).key;
  const captures = join(server.dataDir, 'captures.ndjson');
  const ago = (hours: number): string => new Date(server.now() - hours * 3_600_000).toISOString();
  const rows = [
    { ip: '1.2.8.4', risk_type: 'proxy', captured_at: ago(1), pool: 'vendor' },
    { ip: '1.2.8.4', risk_type: 'osint', captured_at: ago(60) },
    { ip: '8.8.8.10', risk_type: 'vpn', captured_at: ago(30) },
  ];
  writeFileSync(captures, rows.map((row) => JSON.stringify(row)).join('\n'));
  pulseJson(server.dataDir, ['evidence', 'import', captures, '--source', 'batch-test', '--since', ago(240)]);
  await eventually(async () =>
    (await (await fetchWhole(`${server.base}/v1/ip/1.2.8.4`, { headers: { 'X-API-Key': key } })).text()).includes(
      '"active"',
    ),
  );
});

interface Batch {
  readonly count: number;
  readonly billable: number;
  readonly results: readonly {
    readonly ip: string;
    readonly computed_at?: string;
    readonly error?: { readonly code: string };
  }[];
}

const post = (path: string, body: string | object, headers: Record<string, string> = {}): Promise<Response> =>
  fetchWhole(server.base + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': newClient(), ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
const basic = (body: string | object, headers: Record<string, string> = {}) => post('/v1/ip/batch', body, headers);
const pulse = (body: string | object, headers: Record<string, string> = { 'X-API-Key': key }) =>
  post('/pulse/v1/ip/batch', body, headers);
const codeOf = async (response: Response): Promise<string> =>
  `${response.status} ${((await response.json()) as { error: { code: string } }).error.code}`;
const single = async (path: string): Promise<string> =>
  await (await fetchWhole(server.base + path, { headers: { 'X-API-Key': key } })).text();
const left = (response: Response, window: 'daily' | 'ratelimit'): number =>
  Number(response.headers.get(`x-${window}-remaining`));
/** A key whose account may ask for so much. */
const keyWith = (name: string, ...limits: readonly string[]): Record<string, string> => {
  const made = createKey(server.dataDir, `batch-${name}`, ['--plan', 'professional']);
  pulseJson(server.dataDir, ['account', 'set', made.accountId, '--overage-pct', '0', ...limits]);
  return { 'X-API-Key': made.key };
};
/** Moves to the beginning of a minute, so that later requests are counted in one. */
const freshMinute = (): Promise<void> => server.moveClock(MINUTE_MS - (server.now() % MINUTE_MS) + 100);
const timeless = (text: string): string => text.replace(/"(computed_at|age_min)":("[^"]+"|[0-9.]+)/g, '"$1"');

describe('answers of a batch', () => {
  test('each item in order as the single lookup answers it, all for one instant', async () => {
    const response = await basic({ ips: IPS });
    assert.deepEqual(
      [response.status, response.headers.get('content-type'), response.headers.get('cache-control')],
      [200, 'application/json; charset=utf-8', 'no-store'],
    );
    const text = await response.text();
    const { count, billable, results } = JSON.parse(text) as Batch;
    assert.deepEqual(
      [count, billable, new Set(results.flatMap(({ computed_at }) => computed_at ?? [])).size],
      [IPS.length, ADDRESSES_WITH_VERDICT, 1],
    );
    const singles = await Promise.all(IPS.map((ip) => single(`/v1/ip/${encodeURIComponent(ip)}`)));
    const expected = singles.map((body, i) =>
      body.startsWith('{"error"') ? `{"ip":${JSON.stringify(IPS[i])},${body.slice(1)}` : body,
    );
    assert.equal(
      timeless(text),
      timeless(`{"count":${IPS.length},"billable":${ADDRESSES_WITH_VERDICT},"results":[${expected.join(',')}]}`),
    );
  });

  test('a type that the caller does not want is not sent, and of two the heavier is', async () => {
    for (const [accept, sent] of [
      ['application/x-ndjson;q=0', 'application/json'],
      ['application/json, application/x-ndjson;q=0.5', 'application/json'],
      ['application/json;q=0.5, application/x-ndjson', 'application/x-ndjson'],
      ['application/json, application/x-ndjson', 'application/x-ndjson'],
    ] as const) {
      const response = await basic({ ips: IPS.slice(0, 2) }, { Accept: accept });
      assert.equal(response.headers.get('content-type'), `${sent}; charset=utf-8`, accept);
    }
  });

  test('lines in, lines out', async () => {
    const response = await basic(`${IPS.slice(0, 9).join('\r\n')}\r\n`, {
      'Content-Type': 'text/plain; charset=utf-8',
      Accept: 'text/html, Application/X-NDJSON;q=0.9',
    });
    assert.equal(response.headers.get('content-type'), 'application/x-ndjson; charset=utf-8');
    const text = await response.text();
    assert.ok(text.endsWith('}\n'));
    const lines = text.split('\n').slice(0, -1);
    const { results } = (await (await basic({ ips: IPS.slice(0, 9) }, { Accept: '*/*' })).json()) as Batch;
    assert.deepEqual(
      lines.map(timeless),
      results.map((item) => timeless(JSON.stringify(item))),
    );
  });

  test('of many at once, each gets its own answer: memory that serves again holds no other', async () => {
    const texts = (id: number) => Array.from({ length: 1000 }, (_, i) => `${id} ${i} ${'x'.repeat(50)}`);
    const ask = async (id: number): Promise<void> => {
      for (let round = 0; round < 3; round++) {
        const ips = texts(3 * id + round);
        const response = await basic({ ips });
        const { results } = (await response.json()) as Batch;
        assert.deepEqual(
          results.map(({ ip }) => ip),
          ips,
        );
      }
    };
    await Promise.all(Array.from({ length: 12 }, (_, id) => ask(id)));
  });

  test('a page of another origin cannot read it', async () => {
    const response = await basic({ ips: ['8.8.8.8'] }, { Origin: 'https://example.com' });
    assert.equal(response.headers.get('access-control-allow-origin'), null);
  });
});

describe('cost of a batch', () => {
  test('the day counts verdicts, the minute every item; a refused form its KiB in the minute', async () => {
    const mine = { 'X-Forwarded-For': newClient() };
    await freshMinute();
    const first = await basic({ ips: IPS }, mine);
    await first.arrayBuffer();
    assert.deepEqual(
      [left(first, 'daily'), left(first, 'ratelimit')],
      [PER_DAY - ADDRESSES_WITH_VERDICT, PER_MIN - IPS.length],
    );
    const none = await basic({ ips: ['x', '10.0.0.1', '7.7.7.7'] }, mine);
    assert.deepEqual(
      [none.status, left(none, 'daily'), left(none, 'ratelimit')],
      [200, PER_DAY - ADDRESSES_WITH_VERDICT, PER_MIN - IPS.length - 3],
    );
    await none.arrayBuffer();
    const [emptied, unreadable, tooMany, packed] = [
      await basic({ ips: [] }, mine),
      await basic('<ips/>', { ...mine, 'Content-Type': 'text/xml' }),
      await basic({ ips: Array.from({ length: 1001 }, () => '8.8.8.8') }, mine),
      await basic('x', { ...mine, 'Content-Encoding': 'gzip' }),
    ];
    assert.deepEqual(await Promise.all([emptied, unreadable, tooMany, packed].map(codeOf)), [
      '400 bad_request',
      '415 unsupported_media_type',
      '413 payload_too_large',
      '415 unsupported_media_type',
    ]);
    const last = await fetchWhole(`${server.base}/v1/ip/8.8.8.8`, { headers: mine });
    await last.arrayBuffer();
    assert.deepEqual(
      [left(last, 'daily'), left(last, 'ratelimit')],
      [PER_DAY - ADDRESSES_WITH_VERDICT - 1, PER_MIN - IPS.length - 3 - (1 + 1 + 10 + 1) - 1],
    );
  });

  test('a body that is long for its items costs the minute its KiB, read or refused; a thousand IPv6 addresses cost a thousand', async () => {
    const mine = keyWith('long', '--per-min', '2000');
    await freshMinute();
    let remaining = 2000;
    const cost = async (body: string | object, headers: Record<string, string> = {}) => {
      const { status } = await basic(body, { ...mine, ...headers });
      const seen = await fetchWhole(`${server.base}/v1/ip/8.8.8.8`, { headers: mine });
      const before = remaining;
      remaining = left(seen, 'ratelimit');
      return [status, before - remaining - 1];
    };
    const full = Array.from(
      { length: 1000 },
      (_, i) => `2001:0db8:ffff:ffff:ffff:ffff:ffff:${(0xf000 + i).toString(16)}`,
    );
    assert.deepEqual(await cost({ ips: full }), [200, 1000]);
    assert.deepEqual(await cost({ ips: ['x'.repeat(100 * 1024)] }), [200, 101]);
    assert.deepEqual(await cost('\u0001'.repeat(100 * 1024), { 'Content-Type': 'text/plain' }), [200, 100]);
    assert.deepEqual(await cost('['.repeat(100 * 1024)), [400, 100]);
    assert.deepEqual(await cost(' '.repeat(1024 * 1024)), [429, 0], 'what is left of the minute does not hold it');
  });

  test('a day that cannot hold the parseable items refuses the batch and takes nothing', async () => {
    const mine = keyWith('day', '--per-day', '100');
    const known = (count: number) => ({
      ips: [...Array.from({ length: count }, () => '8.8.8.8'), ...Array.from({ length: 50 }, () => 'x')],
    });
    const refused = await basic(known(100 + 1), mine);
    assert.deepEqual([refused.status, left(refused, 'daily')], [429, 100]);
    assert.equal(await codeOf(refused), '429 quota_exceeded');
    const fits = await basic(known(100), mine);
    assert.deepEqual([fits.status, left(fits, 'daily')], [200, 0]);
    await fits.arrayBuffer();
    assert.equal(await codeOf(await basic({ ips: ['8.8.8.8'] }, mine)), '429 quota_exceeded');
  });

  test('more items than the minute ever holds can never pass; more than are left may pass later', async () => {
    const as = keyWith('small', '--per-min', '10');
    const many = (count: number) => ({ ips: Array.from({ length: count }, () => '8.8.8.8') });
    await eventually(async () => (await basic(many(11), as)).status === 429);
    await freshMinute();
    const never = await basic(many(11), as);
    assert.deepEqual([never.headers.get('x-ratelimit-limit'), never.headers.get('retry-after') !== null], ['10', true]);
    assert.equal(await codeOf(never), '429 batch_over_rate_limit');
    assert.equal(
      await codeOf(await basic(`{"ips":[${' '.repeat(11 * 1024)}`, as)),
      '429 batch_over_rate_limit',
      'it is not read',
    );
    const late = await basic(many(9), as);
    assert.deepEqual([late.headers.get('x-daily-limit'), late.headers.get('x-ratelimit-remaining')], [null, '8']);
    assert.equal(await codeOf(late), '429 rate_limited');
    const passes = await basic(many(8), as);
    assert.deepEqual([passes.status, left(passes, 'ratelimit')], [200, 0]);
  });

  test('a visitor without a key gets a batch up to the minute of the address', async () => {
    assert.equal((await basic({ ips: Array.from({ length: 1000 }, () => 'x') })).status, 200);
  });
});

describe('refusals', () => {
  test('text of a page of another site, which its browser sends unasked: it costs no lookup', async () => {
    const mine = { 'X-Forwarded-For': newClient() };
    await freshMinute();
    const text = { ...mine, 'Content-Type': 'text/plain;charset=UTF-8' };
    const foreign = [
      { Origin: 'https://evil.example' },
      { Origin: 'null' },
      { 'Sec-Fetch-Site': 'cross-site' },
      { 'Sec-Fetch-Site': 'same-site' },
    ];
    for (const page of foreign) {
      const types = [
        text,
        { ...text, 'Content-Type': 'Text/Plain' },
        { ...text, 'Content-Type': 'application/x-www-form-urlencoded' },
      ];
      for (const headers of types)
        assert.equal(
          await codeOf(await basic('8.8.8.8', { ...headers, ...page })),
          '403 forbidden',
          JSON.stringify({ ...headers, ...page }),
        );
    }
    const own = await basic('8.8.8.8', { ...text, Origin: server.base, 'Sec-Fetch-Site': 'same-origin' });
    assert.deepEqual([own.status, left(own, 'daily'), left(own, 'ratelimit')], [200, PER_DAY - 1, PER_MIN - 12 - 1]);
    await own.arrayBuffer();
    const typed = await basic({ ips: ['8.8.8.8'] }, { ...mine, Origin: 'https://evil.example' });
    assert.deepEqual([typed.status, typed.headers.get('access-control-allow-origin')], [200, null]);
    await typed.arrayBuffer();
    const asked = await fetchWhole(`${server.base}/v1/ip/batch`, {
      method: 'OPTIONS',
      headers: {
        ...mine,
        Origin: 'https://evil.example',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
      },
    });
    assert.equal(await codeOf(asked), '405 method_not_allowed');
    const unexpected = [...asked.headers.keys()].filter((name) => name.startsWith('access-control-'));
    assert.deepEqual(unexpected, []);
  });

  test('at, anywhere but in the body of the professional batch', async () => {
    const at = '2026-11-20T00:00:00Z';
    assert.equal(await codeOf(await basic({ ips: ['8.8.8.8'], at })), '400 bad_request');
    for (const path of ['/v1/ip/batch', '/pulse/v1/ip/batch'])
      assert.equal(
        await codeOf(await post(`${path}?at=${at}`, { ips: ['8.8.8.8'] }, { 'X-API-Key': key })),
        '400 bad_request',
        path,
      );
    assert.equal(
      await codeOf(await pulse({ ips: ['8.8.8.8'], at: new Date(server.now() + MINUTE_MS).toISOString() })),
      '400 invalid_time',
    );
  });

  test('the professional batch without a key or on another tier, before the body is read', async () => {
    assert.equal(await codeOf(await pulse('{', {})), '401 key_required');
    assert.equal(await codeOf(await pulse('{', { 'X-API-Key': free })), '403 professional_required');
  });

  test('more than a mebibyte', async () => {
    const body = JSON.stringify({ ips: ['8.8.8.8', 'x'.repeat(1024 * 1024)] });
    assert.equal(await codeOf(await basic(body)), '413 payload_too_large');
    const fits = JSON.stringify({ ips: ['8.8.8.8', 'x'.repeat(1024 * 1024 - 100)] });
    assert.equal((await basic(fits)).status, 200);
  });

  test('other methods; a GET still asks for an address of that text', async () => {
    for (const [path, allow] of [
      ['/v1/ip/batch', 'GET, HEAD, POST'],
      ['/pulse/v1/ip/batch', 'GET, HEAD, POST'],
    ] as const) {
      const response = await fetchWhole(server.base + path, { method: 'DELETE', headers: { 'X-API-Key': key } });
      assert.deepEqual([response.status, response.headers.get('allow')], [405, allow]);
      assert.equal(
        await codeOf(await fetchWhole(server.base + path, { headers: { 'X-API-Key': key } })),
        '400 invalid_ip',
      );
    }
  });
});
