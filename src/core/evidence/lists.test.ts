/**
 * Lists as people supply them (decisions 12): every address and time is read as intended, or refused and
 * counted.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { covers } from '../../../test/spec/covers.ts';
import { mayBeTime } from '../feeds/read-time.ts';
import { findAddresses } from '../ip/find-addresses.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { CaptureReader, type CaptureReaderOptions } from './capture-reader.ts';
import { listLine, needsListLine } from './list-line.ts';
import { ADDRESSES, NO_LISTS, RANGES, UNREAD_TIMES } from './lists.fixture.ts';

function read(text: string, options: CaptureReaderOptions = {}) {
  const reader = new CaptureReader(options);
  reader.write(new TextEncoder().encode(text));
  reader.end();
  const { length, family, words, bits, capturedAt } = reader.take();
  const rows = Array.from({ length }, (_, i) => {
    const [w0, w1, w2, w3] = words.subarray(4 * i, 4 * i + 4) as unknown as [number, number, number, number];
    const at = capturedAt[i]!;
    const prefix = formatPrefix({ family: family[i] as 4 | 6, w0, w1, w2, w3, bits: bits[i]! });
    return Number.isNaN(at) ? prefix : `${prefix} ${new Date(at).toISOString()}`;
  });
  const refused = Object.fromEntries([...reader.refused].map(([reason, { count }]) => [reason, count]));
  return { rows, refused, fault: reader.fault && `${reader.fault.text} ${Object.values(reader.fault.values).join()}` };
}

const JANUARY = '5.188.30.1/32 2026-01-01T00:00:00.000Z';

test('a time in any column or member that is known by its name is the time of the capture', () => {
  covers('LIST-TIMES');
  const time = '2026-01-01T00:00:00Z';
  for (const text of [
    `ip;risk_type;captured_at\n5.188.30.1;proxy;${time}`,
    `ip\trisk_type\tcaptured_at\n5.188.30.1\tproxy\t${time}`,
    `ip|captured_at\n5.188.30.1|${time}`,
    `ip,last_seen\n5.188.30.1,${time}`,
    `"IP Address";"Last Seen"\n"5.188.30.1";"2026-01-01 00:00:00"`,
    `address,timestamp,count\n5.188.30.1,1767225600,7`,
    `ip,timestamp\n5.188.30.1,1767225600000`,
    `ip,timestamp\n5.188.30.1,1767225600000000`,
    `src_ip,dst_ip,seen_at\n5.188.30.1,8.8.8.8,2026-01-01T08:00:00+08:00`,
    `dst_ip,src_ip,date\n8.8.8.8,5.188.30.1,2026-01-01`,
    `date,time,ip\n2026-01-01,00:00:00,5.188.30.1`,
    `ip,first_seen\n5.188.30.1,${time}`,
    `ip,@timestamp\n5.188.30.1,${time}`,
    `# ip,last_seen\n5.188.30.1,${time}`,
    `# made by hand\n# "first_seen_utc","dst_port","ip"\n"${time}",443,"5.188.30.1"`,
    `sourceIp,lastSeen\n5.188.30.1:443,${time}`,
    `ip,last_seen\n5.188.30[.]1,"Thu, 01 Jan 2026 01:00:00 +0100"`,
    `{"ip":"5.188.30.1","timestamp":"${time}"}`,
    '{"src_ip":"5.188.30.1","last_seen":1767225600,"dst_ip":"8.8.8.8"}',
    `{"ip_address":"5.188.30.1","@timestamp":1767225600000}`,
  ])
    assert.deepEqual(read(text), { rows: [JANUARY], refused: {}, fault: undefined }, text);
  const both = read(`ip,first_seen,last_seen\n5.188.30.1,2025-12-31,${time}`);
  assert.deepEqual(both.rows, ['5.188.30.1/32 2025-12-31T00:00:00.000Z', JANUARY]);
});

test('a row with a time that is not read, or not understood, is refused and never dated now', () => {
  covers('LIST-TIMES');
  for (const [text, reason] of UNREAD_TIMES)
    assert.deepEqual(read(text), { rows: [], refused: { [reason]: 1 }, fault: undefined }, text);
  const allowed = read('ip,heard\n5.188.30.1,2026-01-01T00:00:00Z', { ignoreTimes: true });
  assert.deepEqual(allowed.rows, ['5.188.30.1/32']);
  for (const format of ['csv', 'ndjson'] as const) {
    const text =
      format === 'csv'
        ? 'ip,last_seen\n5.188.30.1,2026-01-01T00:00:00Z'
        : '{"ip":"5.188.30.1","last_seen":"2026-01-01T00:00:00Z"}';
    assert.deepEqual(read(text, { format }).refused, { unread_time: 1 }, 'names of the intake are fixed');
  }
});

test('every address of a line is taken, ranges too, and what is not is counted', () => {
  covers('LIST-ADDRESSES');
  for (const [text, rows, refused = {}] of ADDRESSES)
    assert.deepEqual(read(text), { rows: [...rows], refused: { ...refused }, fault: undefined }, text);
});

test('what follows an address belongs to it: it is read as what it means, or the line is refused', () => {
  covers('LIST-ADDRESSES');
  const at = '5.188.10.';
  const tails: Readonly<Record<string, string>> = {
    // A path, a port or a sentence behind it.
    '8/32':
      '/0/x.php|/24/x.php|/16/a/|/1/x?y=8.8.8.8|/24?x=1|/24:80|/8080|:80/24|/index| - 12 attempts|/32| 255.255.255.255',
    '0/24':
      '/24|/24.| /24| / 24|/255.255.255.0|/0.0.0.255| 255.255.255.0|\t255.255.255.0\tlan|,255.255.255.0| 0.0.0.255| netmask 255.255.255.0| mask 255.255.255.0',
    '8/30':
      '-11|\u201311|\u221211|..11|-10.11|-5.188.10.11| - 5.188.10.11| \u2014 5.188.10.11|..5.188.10.11|...5.188.10.11| .. 5.188.10.11|-5.188.10.11, x',
    // Not understood.
    '': '/33|/443|/255.0.255.0|/9.9.9.9|-7|-300|-8080| - 11| -11|-5.188.10.7|-x|+3|->5.188.10.11| -> 5.188.10.11|=>5.188.10.11| to 5.188.10.11|\u21925.188.10.11|/24-5.188.12.0/24|..b|->b|\\24|=1',
  };
  for (const [row, texts] of Object.entries(tails))
    for (const tail of texts.split('|')) {
      const { rows, refused } = read(`${at}8${tail}`, { ignoreTimes: true });
      assert.deepEqual([rows, Object.keys(refused).length > 0], [row === '' ? [] : [at + row], row === ''], tail);
      const [network] = findAddresses(`${at}8${tail}`).networks;
      const isNetwork = row.startsWith('0') || row.endsWith('30');
      if (row !== '') assert.deepEqual(network?.prefixes.map(formatPrefix), isNetwork ? [at + row] : undefined, tail);
    }
});

test('a row of start and end is the range between them', () => {
  covers('LIST-ADDRESSES');
  for (const [text, rows] of RANGES)
    assert.deepEqual(read(text, { ignoreTimes: true }), { rows: [...rows], refused: {}, fault: undefined }, text);
});

test('rows with words behind the address are told from those with a time or another address at a glance', () => {
  const quick = (rest: string): boolean => {
    const bytes = new TextEncoder().encode(rest);
    return !needsListLine(bytes, 0, bytes.length);
  };
  for (const rest of [' ssh brute force', '\t25 hits from AS64500', ' ; SBL256894', ' # Monday of 3 towns', ',US,12'])
    assert.ok(quick(rest), rest);
  const parts = fc.constantFrom(
    ...[' ', '\t', ',', ';', '|', '#', '-', '.', '/', ':', '[.]', '(dot)', '\\n', '%3A', 'T', 'Nov', 'May 3', 'May'],
    ...['1', '26', '2026', '20261127', '1763719200', '9.9.9.9', '2a00:1::1', '\u5e74', '\uff11', 'x', 'word'],
  );
  const rests = fc.tuple(fc.constantFrom(' ', '\t', ',', ';', '|', '#'), fc.array(parts, { maxLength: 12 }));
  const found = fc.property(rests, ([first, others]) => {
    const rest = `${first}${others.join('')}`;
    if (!quick(rest)) return;
    assert.equal(mayBeTime(rest), false, rest);
    const { prefixes, refused } = listLine(`5.188.10.177${rest}`, true);
    assert.deepEqual([prefixes.map((prefix) => formatPrefix(prefix)), refused], [['5.188.10.177/32'], []], rest);
  });
  fc.assert(found, { numRuns: 20_000 });
});

test('a header that is not understood, a document or a page is not a list', () => {
  covers('LIST-EMPTY');
  for (const [text, fault] of NO_LISTS) {
    const outcome = read(text);
    assert.match(outcome.fault ?? '', fault, text);
    assert.deepEqual(outcome.rows, [], text);
  }
  assert.deepEqual(read('example.com\n5.188.10.1').refused, { not_an_address: 1 }, 'a bad row is not a header');
  assert.deepEqual(read('nothing here\nat all').refused, { not_an_address: 2 });
  assert.deepEqual(read('{"src_ip":"5.188.10.1","client_ip":"5.188.10.2"}').refused, { several_addresses: 1 });
});
