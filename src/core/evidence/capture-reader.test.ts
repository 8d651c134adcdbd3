import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hostileJson } from '../../../test/support/hostile-json.ts';
import { RISK_TYPES } from '../../contract/risk.ts';
import { formatAddress } from '../ip/format-address.ts';
import { CaptureReader } from './capture-reader.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const read = (text: string, cut = text.length) => {
  const reader = new CaptureReader();
  const all = bytes(text);
  for (let from = 0; from < all.length; from += Math.max(1, cut)) reader.write(all.subarray(from, from + Math.max(1, cut)));
  reader.end();
  const { length, family, words, bits, type, capturedAt, pool, pools } = reader.take();
  const rows = Array.from({ length }, (_, i) => {
    const address = { family: family[i] as 4 | 6, w0: words[4 * i]!, w1: words[4 * i + 1]!, w2: words[4 * i + 2]!, w3: words[4 * i + 3]! };
    return [
      `${formatAddress(address)}/${bits[i]}`,
      RISK_TYPES[type[i]!] ?? '-',
      Number.isNaN(capturedAt[i]!) ? '-' : new Date(capturedAt[i]!).toISOString(),
      pools[pool[i]!],
    ].join(' ');
  });
  return {
    rows,
    refused: Object.fromEntries([...reader.refused].map(([reason, { count, firstLines }]) => [reason, [count, ...firstLines]])),
    lines: reader.lines,
  };
};

const PLAIN = '# list\n1.2.3.4\r\n  5.6.7.0/24  # why\n\n2a00::1;x\n10.0.0.1\n1.2.3\n8.0.0.0/7\n9.9.9.9';

test('a plain list gives its public addresses and prefixes, and refuses the rest by line', () => {
  const { rows, refused, lines } = read(PLAIN);
  assert.deepEqual(rows, ['1.2.3.4/32 - - ', '5.6.7.0/24 - - ', '2a00::1/128 - - ', '9.9.9.9/32 - - ']);
  assert.deepEqual(refused, { reserved_address: [1, 6], not_an_address: [1, 7], prefix_too_wide: [1, 8] });
  assert.equal(lines, 9);
});

test('CSV with a header takes named columns in any order, quoted cells too', () => {
  const { rows, refused } = read(
    'Pool,IP,captured_at,risk_type,note\n"a, b",1.2.3.4,2026-08-01T00:00:00+08:00,vpn,"say ""x"""\n,5.6.7.8,,,\n,5.6.7.8,yesterday,,\n,5.6.7.8,,bad,\n1.1.1.1\n',
  );
  assert.deepEqual(rows, ['1.2.3.4/32 vpn 2026-07-31T16:00:00.000Z a, b', '5.6.7.8/32 - - ']);
  assert.deepEqual(refused, { not_a_time: [1, 4], unknown_risk_type: [1, 5], not_csv: [1, 6] });
});

test('NDJSON rows carry their own type, time and pool', () => {
  const { rows, refused } = read(
    '{"ip":"1.2.3.4","risk_type":"proxy","captured_at":"2026-08-01T00:00:00Z","pool":"p"}\n{"ip":"5.6.0.0/16"}\n{broken\n[1]\n{"risk_type":"vpn"}\n{"ip":7}\n',
  );
  assert.deepEqual(rows, ['1.2.3.4/32 proxy 2026-08-01T00:00:00.000Z p', '5.6.0.0/16 - - ']);
  assert.deepEqual(refused, { not_json: [2, 3, 4], not_an_address: [2, 5, 6] });
});

test('a field of another type is refused with its reason and line, and the rows around it are taken', () => {
  const wrong = '{"toString":1,"valueOf":1}';
  const { rows, refused } = read(
    [
      '{"ip":"1.2.3.4","pool":7}',
      `{"ip":"5.5.5.5","risk_type":${wrong}}`,
      `{"ip":${wrong}}`,
      `{"ip":"5.5.5.5","captured_at":${wrong}}`,
      `{"ip":"5.5.5.5","pool":${wrong}}`,
      '{"ip":"5.5.5.5","pool":"a\\u0000"}',
      '{"ip":"5.5.5.5","pool":"\\ud800"}',
      `{"ip":"5.5.5.5","pool":"${'x'.repeat(257)}"}`,
      '{"ip":"5.6.7.8","risk_type":null,"__proto__":{"ip":"9.9.9.9"}}',
    ].join('\n'),
  );
  assert.deepEqual(rows, ['1.2.3.4/32 - - 7', '5.6.7.8/32 - - ']);
  assert.deepEqual(refused, { unknown_risk_type: [1, 2], not_an_address: [1, 3], not_a_time: [1, 4], not_a_pool: [4, 5, 6, 7] });
});

test('whatever a line holds, the good lines around it are taken', () => {
  const row = fc.dictionary(fc.constantFrom('ip', 'risk_type', 'captured_at', 'pool', 'other'), hostileJson, { minKeys: 1 });
  fc.assert(
    fc.property(fc.oneof(row, hostileJson), (bad) => {
      const { rows, refused, lines } = read(`{"ip":"1.2.3.4"}\n${JSON.stringify(bad)}\n{"ip":"5.6.7.8"}`);
      assert.deepEqual([rows[0], rows.at(-1)], ['1.2.3.4/32 - - ', '5.6.7.8/32 - - ']);
      assert.equal(rows.length + Object.values(refused).reduce((sum, [count]) => sum + count!, 0), lines);
    }),
    { seed: 10 },
  );
});

test('a body that names more than 500 pools loses the rows of the others and no more', () => {
  const lines = Array.from({ length: 503 }, (_, i) => `{"ip":"1.2.3.4","pool":"p${i}"}`);
  const { rows, refused } = read([...lines, '{"ip":"5.6.7.8"}'].join('\n'));
  assert.equal(rows.length, 501);
  assert.deepEqual(refused, { too_many_pools: [3, 501, 502, 503] });
});

test('where the stream is cut does not matter', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 60 }), (cut) => assert.deepEqual(read(PLAIN, cut), read(PLAIN))));
});

test('a line without end is refused without being kept, and reading goes on behind it', () => {
  const { rows, refused } = read(`1.2.3.4\n${'x'.repeat(200_000)}\n5.6.7.8\n`, 10_000);
  assert.deepEqual(rows, ['1.2.3.4/32 - - ', '5.6.7.8/32 - - ']);
  assert.deepEqual(refused, { line_too_long: [1, 2] });
});

test('only the first three line numbers of a reason are kept, and all are counted', () => {
  assert.deepEqual(read('x\n'.repeat(10)).refused, { not_an_address: [10, 1, 2, 3] });
});
