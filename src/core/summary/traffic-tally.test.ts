import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { randomWords } from '../../../test/support/random.ts';
import type { TrafficSummary } from '../../contract/traffic-summary.ts';
import type { Address } from '../ip/address.ts';
import { formatAddress } from '../ip/format-address.ts';
import { detectLayout } from '../logs/detect-layout.ts';
import { requestReader } from '../logs/request-reader.ts';
import { Fault } from '../texts/said.ts';
import { HOUR_MS, type UnixMs, unixMs } from '../units.ts';
import { RequestActs } from './request-acts.ts';
import { TrafficTally } from './traffic-tally.ts';
import type { VerdictFacts } from './verdict-facts.ts';

const START = Date.UTC(2026, 10, 20);
const FRAME = { computedAt: unixMs(START), dataVersion: { risk: 'r', geo: 'g' }, degraded: false };
const seedOf = (number: number) => Array.from({ length: 9 }, (_, i) => Math.imul(number + i, 0x9e3779b1) >>> 0);

/** Verdicts that depend on the address alone, so that a model can count them. */
const CLASSES: readonly VerdictFacts[] = [
  { state: 'none', level: 'none', score: 0, signals: [], crowd: 'T1', pools: [] },
  {
    state: 'stale',
    level: 'none',
    score: 0,
    signals: ['hosting'],
    usageType: 'IDC',
    country: 'DE',
    asn: 24940,
    crowd: 'T1',
    pools: [],
  },
  {
    state: 'active',
    level: 'low',
    score: 20,
    signals: ['osint'],
    usageType: 'DYN',
    country: 'CN',
    asn: 4134,
    crowd: 'T1',
    pools: [],
  },
  {
    state: 'active',
    level: 'medium',
    score: 60,
    signals: ['osint', 'vpn'],
    country: 'US',
    crowd: 'T1',
    pools: ['rp_a', 'rp_b'],
  },
  {
    state: 'active',
    level: 'high',
    score: 100,
    signals: ['proxy'],
    usageType: 'MOB',
    country: 'CN',
    asn: 9808,
    crowd: 'T1',
    pools: ['rp_a'],
  },
];
const factsOf = ({ w0, w3 }: Address): VerdictFacts => CLASSES[(w0 + w3) % CLASSES.length]!;

interface Line {
  readonly address: Address;
  readonly at: UnixMs | undefined;
}

function tallied(
  lines: readonly Line[],
  options: { readonly seed?: number; readonly addressesMax?: number; readonly prefixesMax?: number } = {},
): TrafficTally {
  const { seed = 1, ...bounds } = options;
  const tally = new TrafficTally({ seed: seedOf(seed), ...bounds });
  for (const { address, at } of lines) if (!tally.count(address, at)) tally.learn(address, at, factsOf(address));
  return tally;
}

const four = (w0: number): Address => ({ family: 4, w0: w0 >>> 0, w1: 0, w2: 0, w3: 0 });
const line = fc
  .record({
    six: fc.boolean(),
    net: fc.integer({ min: 1, max: 4 }),
    host: fc.integer({ min: 0, max: 300 }),
    hour: fc.option(fc.integer({ min: 0, max: 50 })),
  })
  .map(
    ({ six, net, host, hour }): Line => ({
      address: six
        ? { family: 6, w0: 0x2400_0000 + net, w1: 0x1_0000 * (host % 3), w2: 0, w3: host }
        : four(0x0800_0000 + net * 65_536 + host),
      at: hour === null ? undefined : unixMs(START + hour * HOUR_MS + host),
    }),
  );
const lines = fc.array(line, { maxLength: 400 });

/** Counts by hand, with maps over texts. */
function counted<Value>(all: readonly Line[], valuesOf: (facts: VerdictFacts) => readonly (Value | undefined)[]) {
  const rows = new Map<Value | undefined, { lines: number; addresses: Set<string> }>();
  for (const { address } of all) {
    for (const value of valuesOf(factsOf(address))) {
      const row = rows.get(value) ?? { lines: 0, addresses: new Set<string>() };
      row.lines++;
      row.addresses.add(formatAddress(address));
      rows.set(value, row);
    }
  }
  return rows;
}

const FIELDS: readonly (readonly [
  keyof TrafficSummary,
  (facts: VerdictFacts) => readonly (string | number | undefined)[],
])[] = [
  ['evidence_state', ({ state }) => [state]],
  ['level', ({ level }) => [level]],
  ['signals', ({ signals }) => signals],
  ['usage_type', ({ usageType }) => [usageType]],
  ['country', ({ country }) => [country]],
  ['asn', ({ asn }) => [asn]],
  ['pools', ({ pools }) => pools],
];

describe('while everything is kept apart', () => {
  test('the riskiest are the addresses with active evidence by score, then lines, with the times of their first and last line', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const byAddress = Map.groupBy(all, ({ address }) => formatAddress(address));
        const expected = [...byAddress]
          .map(([ip, own]) => {
            const { state, score } = factsOf(own[0]!.address);
            const times = own.flatMap(({ at }) => at ?? []).sort((a, b) => a - b);
            return { ip, state, score, lines: own.length, first: times[0], last: times.at(-1) };
          })
          .filter(({ state }) => state === 'active')
          .sort((a, b) => b.score - a.score || b.lines - a.lines);
        const { riskiest } = tallied(all).document({ ...FRAME, top: 1000 }).top;
        assert.deepEqual(
          riskiest.map(({ score, lines: count }) => [score, count]),
          expected.map(({ score, lines: count }) => [score, count]),
        );
        for (const { ip, first, last } of riskiest) {
          const { first: from, last: to } = expected.find((row) => row.ip === ip)!;
          assert.deepEqual(
            [first, last],
            [from, to].map((time) => time && new Date(time).toISOString()),
          );
        }
      }),
      { numRuns: 50 },
    );
  });

  test('every ranking is as counting by hand gives it, in lines and in distinct addresses', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const document = tallied(all).document(FRAME);
        assert.equal(document.lines.judged, all.length);
        checkRisky(document, all);
        assert.deepEqual(document.addresses, {
          count: new Set(all.map(({ address }) => formatAddress(address))).size,
          method: 'exact',
        });
        for (const [field, valuesOf] of FIELDS) {
          const expected = counted(all, valuesOf);
          const { rows } = document[field] as {
            rows: readonly { value?: string | number; lines: number; addresses: number }[];
          };
          assert.equal(rows.length, expected.size, field);
          for (const row of rows) {
            const sum = expected.get(row.value)!;
            assert.deepEqual([row.lines, row.addresses], [sum.lines, sum.addresses.size], `${field} ${row.value}`);
          }
          assert.ok(rows.every((row, i) => i === 0 || rows[i - 1]!.lines >= row.lines));
        }
      }),
      { numRuns: 80 },
    );
  });

  test('tops hold the most frequent addresses and prefixes with their own counts', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const { top } = tallied(all).document(FRAME);
        const byAddress = Map.groupBy(all, ({ address }) => formatAddress(address));
        const most = [...byAddress.values()].map((group) => group.length).sort((a, b) => b - a);
        const lineses = top.addresses.map((row) => row.lines);
        assert.deepEqual(lineses, most.slice(0, 20));
        for (const row of top.addresses) assert.equal(row.lines, byAddress.get(row.ip)!.length);
        for (const { prefix, lines: count, active_lines: active, addresses } of top.prefixes) {
          const [words, bits] = prefix.split('/');
          const inside = all.filter(
            ({ address }) => (address.family === 4) === (bits === '24') && netOf(address) === words,
          );
          assert.equal(count, inside.length, prefix);
          assert.equal(active, inside.filter(({ address }) => factsOf(address).state === 'active').length);
          assert.equal(addresses, new Set(inside.map(({ address }) => formatAddress(address))).size);
        }
      }),
      { numRuns: 50 },
    );
  });

  test('hours add up to the lines, and each line stands in its own', () => {
    fc.assert(
      fc.property(lines, (all) => {
        const { time } = tallied(all).document(FRAME);
        const timed = all.filter(({ at }) => at !== undefined);
        if (timed.length === 0) return assert.equal(time, undefined);
        assert.equal(time!.from, new Date(Math.min(...timed.map(({ at }) => at!))).toISOString());
        assert.equal(time!.to, new Date(Math.max(...timed.map(({ at }) => at!))).toISOString());
        assert.equal(time!.untimed, all.length - timed.length);
        for (const { at, none, stale, low, medium, high } of time!.buckets) {
          const inside = timed
            .filter((one) => Math.floor(one.at! / HOUR_MS) * HOUR_MS === Date.parse(at))
            .map(({ address }) => factsOf(address));
          assert.equal(none + stale + low + medium + high, inside.length);
          assert.equal(stale, inside.filter(({ state }) => state === 'stale').length);
          assert.equal(high, inside.filter(({ level }) => level === 'high').length);
        }
        assert.equal(time!.buckets.length, new Set(timed.map(({ at }) => Math.floor(at! / HOUR_MS))).size);
      }),
      { numRuns: 50 },
    );
  });

  test('the seed changes nothing', () => {
    fc.assert(
      fc.property(lines, (one) =>
        assert.deepEqual(tallied(one, { seed: 7 }).document(FRAME), tallied(one, { seed: 3 }).document(FRAME)),
      ),
      { numRuns: 60 },
    );
  });
});

/** The rankings of risky addresses are those of a log without the others. */
function checkRisky({ risky }: TrafficSummary, all: readonly Line[]): void {
  const meant = all.filter(({ address }) => factsOf(address).score >= 60);
  const alone = tallied(meant).document({ ...FRAME, top: 250 });
  const prefixes = alone.top.prefixes.map(({ prefix, lines, addresses }) => ({ value: prefix, lines, addresses }));
  assert.equal(risky.lines, meant.length);
  assert.deepEqual(risky.prefixes, { rows: prefixes });
  assert.deepEqual([risky.asn, risky.pools], [alone.asn, alone.pools]);
}

const netOf = ({ family, w0, w1 }: Address): string =>
  family === 4
    ? formatAddress(four(w0 & 0xffff_ff00))
    : formatAddress({ family: 6, w0, w1: (w1 & 0xffff_0000) >>> 0, w2: 0, w3: 0 });

describe('when there are more addresses than are kept apart', () => {
  /** 60,000 addresses once, and a few that come often, spread among them. */
  const random = randomWords(15);
  const many: Line[] = Array.from({ length: 60_000 }, () => ({ address: four(random()), at: undefined }));
  const often = [four(0x0101_0101), four(0x0202_0202), four(0x0303_0303)];
  const all = many.flatMap((one, i): readonly Line[] => [
    one,
    ...often.filter((_, rank) => i % (20 * (rank + 1)) === 0).map((address) => ({ address, at: undefined })),
  ]);
  const counts = new Map(
    [...Map.groupBy(all, ({ address }) => formatAddress(address))].map(([ip, group]) => [ip, group.length]),
  );
  const small = { addressesMax: 1500, prefixesMax: 1500 };

  function check(document: TrafficSummary): void {
    assert.equal(document.lines.judged, all.length);
    for (const [field, valuesOf] of FIELDS) {
      const expected = counted(all, valuesOf);
      for (const row of (
        document[field] as { rows: readonly { value?: string | number; lines: number; addresses?: number }[] }
      ).rows) {
        assert.equal(row.lines, expected.get(row.value)!.lines, 'shares stay exact');
        assert.equal(row.addresses, undefined, 'what is not known is left out');
      }
    }
    assert.equal(document.addresses.method, 'hyperloglog');
    assert.ok(Math.abs(document.addresses.count / counts.size - 1) < 0.05, String(document.addresses.count));
    const { addresses, addresses_error: error, prefixes_error: prefixError, prefixes } = document.top;
    assert.ok(error > 0 && error <= (2 * all.length) / 1500, String(error));
    assert.ok(prefixError > 0 && prefixError <= (2 * all.length) / 1500, String(prefixError));
    assert.deepEqual(
      addresses.slice(0, 3).map(({ ip }) => ip),
      often.map(formatAddress),
    );
    for (const { ip, lines: count } of addresses) {
      const real = counts.get(ip)!;
      assert.ok(count <= real && real <= count + error, `${ip}: ${count} of ${real}, error ${error}`);
    }
    assert.equal(prefixes[0]!.prefix, '1.1.1.0/24');
    assert.ok(prefixes.every((row) => row.addresses === undefined && row.active_lines === undefined));
    const { risky } = document;
    assert.equal(risky.lines, all.filter(({ address }) => factsOf(address).score >= 60).length);
    assert.ok(risky.prefixes.rows.length > 0 && risky.prefixes.rows.every((row) => row.addresses === undefined));
  }

  test('shares are exact, counts of tops are right within the error that is stated, and distinct addresses are an estimate that says so', () => {
    check(tallied(all, small).document(FRAME));
  });

  test('the choice of forgotten rows follows from the lines alone, not from the seed', () => {
    const narrow = { addressesMax: 1500, prefixesMax: 200 };
    const frame = { ...FRAME, top: 200 };
    assert.deepEqual(tallied(all, narrow).document(frame), tallied(all, { ...narrow, seed: 99 }).document(frame));
  });
});

test('more hours than are kept become days, and times past those are lines without one', () => {
  const hours = Array.from(
    { length: 5000 },
    (_, hour): Line => ({ address: four(0x0808_0808), at: unixMs(START + hour * HOUR_MS) }),
  );
  const { time } = tallied(hours).document(FRAME);
  assert.equal(time!.bucket_ms, 24 * HOUR_MS);
  assert.equal(time!.buckets.length, Math.ceil(5000 / 24));
  assert.equal(
    time!.buckets.reduce((sum, { none, stale, low, medium, high }) => sum + none + stale + low + medium + high, 0),
    5000,
  );
  const years = Array.from(
    { length: 6000 },
    (_, day): Line => ({ address: four(0x0808_0808), at: unixMs(START - 24 * day * HOUR_MS) }),
  );
  const long = tallied(years).document(FRAME);
  assert.equal(long.time!.buckets.length, 4096);
  assert.equal(long.time!.untimed, 6000 - 4096);
});

test('values beyond those that are named are summed', () => {
  const tally = new TrafficTally({ seed: seedOf(1) });
  for (let asn = 1; asn <= 300; asn++) tally.learn(four(asn * 256), undefined, { ...CLASSES[0]!, asn });
  const { asn } = tally.document(FRAME);
  assert.equal(asn.rows.length, 250);
  assert.deepEqual(asn.others, { values: 50, lines: 50 });
  const risky = new TrafficTally({ seed: seedOf(1) });
  for (let net = 1; net <= 300; net++) risky.learn(four(net * 256), undefined, CLASSES[4]!);
  assert.deepEqual(risky.document(FRAME).risky.prefixes.others, { values: 50, lines: 50 });
});

test('lines without a verdict are counted by reason and belong to no share', () => {
  const tally = tallied([{ address: four(0x0808_0808), at: undefined }]);
  tally.countWithoutAddress();
  tally.countReserved();
  tally.countReserved();
  tally.countNotFound();
  assert.deepEqual(tally.document(FRAME).lines, { total: 5, judged: 1, without_address: 1, reserved: 2, not_found: 1 });
});

test('each of thousands of prefixes has its addresses, whenever the tables grew', () => {
  const addresses = Array.from({ length: 6000 }, (_, n) => four((n >> 1) * 256 + (n & 1)));
  const { prefixes } = tallied(addresses.map((address) => ({ address, at: undefined }))).document({
    ...FRAME,
    top: 6000,
  }).top;
  assert.equal(prefixes.length, 3000);
  const unexpected = prefixes.filter((prefix) => prefix.addresses !== 2 || prefix.lines !== 2);
  assert.deepEqual(unexpected, []);
});

test('requests are read from each kind of log that has them, and logins of sshd', () => {
  const once = (value: string) => [{ value, lines: 1 }];
  const web = { paths: once('/wp-login.php'), statuses: once('403'), agents: once('curl/8'), bytes: 512 };
  const ACCESS = '1.2.3.4 - - [22/Nov/2026:08:00:00 +0000] "POST /wp-login.php?a=1 HTTP/1.1" 403 512 "-" "curl/8"';
  const BALANCER =
    'https 2026-11-22T08:00:00.1Z app/x/1 1.2.3.4:54321 10.0.0.1:80 0.086 0.048 0.037 403 502 57 512 "POST https://www.example.com:443/wp-login.php?a=1 HTTP/1.1" "curl/8" ECDHE-RSA TLSv1.2 arn:aws:x "Root=1-5" "www.example.com" "-" 1 2026-11-22T08:00:00Z "forward" "-" "-" "10.0.0.1:80" "502" "-" "-"';
  const login = (word: string) => ({ paths: [], statuses: once(word), agents: [], bytes: 0 });
  const LOGS = [
    ['combined', ACCESS, web],
    ['vhost_combined', `www.example.com:443 ${ACCESS}`, web],
    ['ALB', BALANCER, web],
    ['ALB without a target', BALANCER.replace(' 502 57 ', ' - 57 '), web],
    [
      'Cloudflare',
      '{"ClientIP":"1.2.3.4","ClientRequestURI":"/wp-login.php?a=1","EdgeResponseStatus":403,"ClientRequestUserAgent":"curl/8","EdgeResponseBytes":512}',
      web,
    ],
    [
      'Fastly',
      '{"client_ip":"1.2.3.4","url":"/wp-login.php?a=1","response_status":403,"request_user_agent":"curl/8","response_body_size":512}',
      web,
    ],
    [
      'Elastic Common Schema',
      '{"client":{"ip":"1.2.3.4"},"url":{"path":"/wp-login.php"},"http":{"response":{"status_code":403,"bytes":512}},"user_agent":{"original":"curl/8"}}',
      web,
    ],
    [
      'nginx as JSON',
      '{"remote_addr":"1.2.3.4","request":"GET /wp-login.php HTTP/1.1","status":"403","http_user_agent":"curl/8","body_bytes_sent":"512"}',
      web,
    ],
    [
      'IIS',
      '#Fields: date time c-ip cs-method cs-uri-stem cs-uri-query sc-status sc-bytes cs(User-Agent)\n2026-11-22 08:00:00 1.2.3.4 POST /wp-login.php a=1 403 512 curl/8',
      web,
    ],
    ['a table', 'ip,url,status,user_agent,bytes\n1.2.3.4,https://www.example.com/wp-login.php?a=1,403,curl/8,512', web],
    [
      'sshd',
      'Nov 22 08:00:00 host sshd[812]: Failed password for invalid user x from 1.2.3.4 port 1 ssh2',
      login('Failed'),
    ],
    [
      'sshd',
      '2026-11-22T08:00:00Z host sshd-session[1]: Accepted publickey for x from 1.2.3.4 port 1 ssh2',
      login('Accepted'),
    ],
    ['a list', '1.2.3.4', undefined],
    ['a broken object', '{"client_ip":"1.2.3.4","url":"/"}\n{"client_ip":"1.2.3.4","url"', undefined],
  ] as const;
  for (const [name, log, expected] of LOGS) {
    const layout = detectLayout(new TextEncoder().encode(log));
    assert.ok(!(layout instanceof Fault), name);
    const acts = new RequestActs();
    const request = requestReader(layout)(log.split('\n').at(-1)!);
    if (request !== undefined) acts.note('1.2.3.4', request);
    assert.deepEqual(acts.of('1.2.3.4'), expected, name);
  }
});
