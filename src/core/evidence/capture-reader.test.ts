import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { hostileJson } from '../../../test/support/hostile-json.ts';
import { RISK_TYPES } from '../../contract/risk.ts';
import { formatAddress } from '../ip/format-address.ts';
import { CaptureReader } from './capture-reader.ts';
import { PROTOCOLS } from './protocols.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const read = (text: string, cut = text.length) => {
  const reader = new CaptureReader();
  const all = bytes(text);
  for (let from = 0; from < all.length; from += Math.max(1, cut))
    reader.write(all.subarray(from, from + Math.max(1, cut)));
  reader.end();
  const { length, family, words, bits, type, capturedAt, pool, pools } = reader.take();
  const rows = Array.from({ length }, (_, i) => {
    const address = {
      family: family[i] as 4 | 6,
      w0: words[4 * i]!,
      w1: words[4 * i + 1]!,
      w2: words[4 * i + 2]!,
      w3: words[4 * i + 3]!,
    };
    return [
      `${formatAddress(address)}/${bits[i]}`,
      RISK_TYPES[type[i]!] ?? '-',
      Number.isNaN(capturedAt[i]!) ? '-' : new Date(capturedAt[i]!).toISOString(),
      pools[pool[i]!],
    ].join(' ');
  });
  return {
    rows,
    refused: Object.fromEntries(
      [...reader.refused].map(([reason, { count, firstLines }]) => [reason, [count, ...firstLines]]),
    ),
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
    'Pool,IP,captured_at,risk_type,note\n"a, b",1.2.3.4,2026-08-01T00:00:00+08:00,vpn,"say ""x"""\n,5.6.7.8,2026-08-01,,\n,5.6.7.8,yesterday,,\n,5.6.7.8,2026-08-01,bad,\n1.1.1.1\n',
  );
  assert.deepEqual(rows, ['1.2.3.4/32 vpn 2026-07-31T16:00:00.000Z a, b', '5.6.7.8/32 - 2026-08-01T00:00:00.000Z ']);
  assert.deepEqual(refused, { not_a_time: [1, 4], unknown_risk_type: [1, 5], not_csv: [1, 6] });
});

test('a `sep=;` line before the header is skipped', () => {
  const { rows, refused } = read('sep=;\r\nip;risk_type;captured_at\r\n1.2.3.4;vpn;2026-08-01T00:00:00Z\r\n');
  assert.deepEqual(rows, ['1.2.3.4/32 vpn 2026-08-01T00:00:00.000Z ']);
  assert.deepEqual(refused, {});
});

test('a time that its sender leaves empty, and one before 1970, is not now', () => {
  const csv = read('ip,captured_at\n1.2.3.4,\n5.6.7.8,2026-08-01T00:00:00Z\n1.2.3.5,1969-12-31T23:59:59Z\n');
  assert.deepEqual(csv.rows, ['5.6.7.8/32 - 2026-08-01T00:00:00.000Z ']);
  assert.deepEqual(csv.refused, { unread_time: [1, 2], not_a_time: [1, 4] });
  const rows = ['captured_at', 'timestamp', 'last_seen'].map((name) => `{"ip":"1.2.3.4","${name}":null}`);
  const ndjson = read([...rows, '{"ip":"5.6.7.8","note":null}'].join('\n'));
  assert.deepEqual(ndjson.rows, ['5.6.7.8/32 - - ']);
  assert.deepEqual(ndjson.refused, { unread_time: [3, 1, 2, 3] });
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
  assert.deepEqual(refused, {
    unknown_risk_type: [1, 2],
    not_an_address: [1, 3],
    not_a_time: [1, 4],
    not_a_pool: [4, 5, 6, 7],
  });
});

test('whatever a line holds, the good lines around it are taken', () => {
  const row = fc.dictionary(fc.constantFrom('ip', 'risk_type', 'captured_at', 'pool', 'other'), hostileJson, {
    minKeys: 1,
  });
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

const SENT = { ip: '1.2.3.4', risk_type: 'honeypot_credential', captured_at: '2026-08-01T00:00:10Z' };
const sent = (more: object): string => `${JSON.stringify({ ...SENT, ...more })}\n`;

test('a folded row is two captures, and its connections are counted once', () => {
  const reader = new CaptureReader();
  const folded = { first_captured_at: '2026-08-01T00:00:00.250Z', count: 7, port: 22, protocol: 'ssh', actor: 'a_-1' };
  reader.write(
    bytes(sent({}) + sent(folded) + sent({ first_captured_at: SENT.captured_at, count: '3' }) + sent({ port: 0 })),
  );
  const { length, capturedAt, sensor } = reader.take();
  const { count, port, protocol, actor, actors } = sensor!;
  const last = Date.parse(SENT.captured_at);
  assert.deepEqual(
    Array.from({ length }, (_, i) => [capturedAt[i], count[i], port[i], PROTOCOLS[protocol[i]!], actors[actor[i]!]]),
    [
      [last, 1, -1, undefined, ''],
      [Date.parse(folded.first_captured_at), 0, 22, 'ssh', 'a_-1'],
      [last, 7, 22, 'ssh', 'a_-1'],
      [last, 3, -1, undefined, ''],
      [last, 1, 0, undefined, ''],
    ],
  );
});

test('a row without anything of a sensor costs no columns for it', () => {
  const reader = new CaptureReader();
  reader.write(bytes(sent({ unknown: 1 })));
  assert.equal('sensor' in reader.take(), false);
});

test('each field of a sensor is refused with its own reason', () => {
  const cases: readonly (readonly [reason: string, more: object])[] = [
    ['not_a_time', { first_captured_at: 'soon' }],
    ['not_a_time', { first_captured_at: 7 }],
    ['first_after_last', { first_captured_at: '2026-08-01T00:00:10.001Z' }],
    ['first_after_last', { captured_at: undefined, first_captured_at: '2026-08-01T00:00:00Z' }],
    ['not_a_count', { count: 0 }],
    ['not_a_count', { count: 1.5 }],
    ['not_a_count', { count: 2 ** 32 }],
    ['not_a_count', { count: [] }],
    ['not_a_port', { port: 65_536 }],
    ['not_a_port', { port: -1 }],
    ['unknown_protocol', { protocol: 'SSH' }],
    ['not_an_actor', { actor: '' }],
    ['not_an_actor', { actor: 'x'.repeat(65) }],
    ['not_an_actor', { actor: 'a b' }],
  ];
  for (const [reason, more] of cases)
    assert.deepEqual(read(sent(more)), { rows: [], refused: { [reason]: [1, 1] }, lines: 1 }, JSON.stringify(more));
  const edges = read(
    sent({ count: 2 ** 32 - 1, port: 65_535, actor: 'x'.repeat(64), first_captured_at: SENT.captured_at }),
  );
  assert.deepEqual([edges.rows.length, edges.refused], [1, {}]);
});

test('CSV names the same fields', () => {
  const csv =
    'ip,risk_type,captured_at,first_captured_at,count,port,protocol,actor\n1.2.3.4,honeypot_scan,2026-08-01T00:00:10Z,2026-08-01T00:00:00Z,2,23,telnet,x\n';
  assert.deepEqual(read(csv).rows, [
    '1.2.3.4/32 honeypot_scan 2026-08-01T00:00:00.000Z ',
    '1.2.3.4/32 honeypot_scan 2026-08-01T00:00:10.000Z ',
  ]);
});

const readAs = (format: 'csv' | 'ndjson', text: string) => {
  const reader = new CaptureReader({ format, linesMax: 3 });
  reader.write(bytes(text));
  reader.end();
  return {
    pending: reader.pending,
    lines: reader.lines,
    overflowed: reader.overflowed,
    refused: [...reader.refused.keys()],
  };
};

test('a format that the sender names is not guessed, and nothing is read past the most lines', () => {
  assert.deepEqual(readAs('ndjson', '1.2.3.4\n'), { pending: 0, lines: 1, overflowed: false, refused: ['not_json'] });
  assert.deepEqual(readAs('csv', '{"ip":"1.2.3.4"}\n1.2.3.4\n'), {
    pending: 0,
    lines: 2,
    overflowed: false,
    refused: ['not_csv'],
  });
  assert.deepEqual(readAs('csv', 'ip\n1.2.3.4\n1.2.3.5\n1.2.3.6'), {
    pending: 3,
    lines: 4,
    overflowed: false,
    refused: [],
  });
  assert.equal(readAs('csv', 'ip\n1.2.3.4\n1.2.3.5\n1.2.3.6\n1.2.3.7').overflowed, true);
  assert.equal(readAs('ndjson', '\n\n\n').overflowed, false);
  assert.equal(readAs('ndjson', '\n\n\n{}').overflowed, true);
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
