import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Reader } from 'mmdb-lib';
import { randomBelow } from '../../../test/support/random.ts';
import { verifyMmdb } from '../../../test/support/verify-mmdb.ts';
import { decodeValue } from '../../adapters/layers/mmdb/decoder.ts';
import type { ExportEntry, ExportRecord } from '../../core/export/export-record.ts';
import type { Prefix } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { compareAddresses, contains, lastAddress, parsePrefix, prefixOf } from '../../core/ip/prefix.ts';
import { riskValue } from './city-value.ts';
import { MmdbData, MmdbNumber } from './mmdb-data.ts';
import { MmdbTree, writeMmdb } from './write-mmdb.ts';

const record = (score: number, network?: ExportRecord['network']): ExportRecord => ({
  risk: { score, level: 'high', signals: score % 2 === 0 ? ['proxy', 'vpn'] : ['proxy'] },
  evidence_state: 'active',
  ...(network && { network }),
});
const entry = (text: string, of: ExportRecord): ExportEntry => ({ prefix: parsePrefix(text)!, record: of });
const fileOf = (entries: readonly ExportEntry[], ipVersion: 4 | 6 = 6): Buffer =>
  Buffer.concat([
    ...writeMmdb({
      entries,
      recordValue: riskValue,
      ipVersion,
      buildEpoch: 1_795_000_000,
      databaseType: 'Test',
      description: 'a test\nof two lines',
    }),
  ]);
const open = (file: Buffer): Reader<never> => new Reader(file);

/** Disjoint prefixes of both families in order, crowded so that they share branches. */
function randomEntries(seed: number): ExportEntry[] {
  const below = randomBelow(seed);
  const word = (): number => (below(2) === 0 ? below(4) : below(0xffff_ffff)) >>> 0;
  const prefixes: Prefix[] = Array.from({ length: 150 }, () => {
    const family = below(2) === 0 ? 4 : 6;
    const address =
      family === 4
        ? { w0: word(), w1: 0, w2: 0, w3: 0 }
        : { w0: 0x2000_0000 + below(4), w1: word(), w2: word(), w3: word() };
    return prefixOf({ family, ...address }, family === 4 ? 4 + below(29) : 8 + below(121));
  });
  const records = Array.from({ length: 20 }, (_, i) => record(i, i % 3 === 0 ? { asn: 64_500 + i } : undefined));
  const kept: Prefix[] = [];
  for (const prefix of prefixes)
    if (!kept.some((other) => contains(other, prefix) || contains(prefix, other))) kept.push(prefix);
  kept.sort((a, b) => a.family - b.family || compareAddresses(a, b));
  return kept.map((prefix) => ({ prefix, record: records[below(records.length)]! }));
}

describe('an MMDB file', () => {
  test('answers for every prefix, for neither neighbour of one, and passes the checks of verifiers', () => {
    for (let seed = 1; seed <= 25; seed++) {
      const entries = randomEntries(seed);
      const file = fileOf(entries);
      assert.equal(
        verifyMmdb(file).values,
        new Set(entries.map((one) => one.record)).size,
        'each record stands there once',
      );
      const reader = open(file);
      for (const { prefix, record: its } of entries)
        for (const address of [prefix, lastAddress(prefix)])
          assert.deepEqual(reader.get(formatAddress(address)), its, formatAddress(address));
      const below = randomBelow(seed);
      for (let i = 0; i < 200; i++) {
        const address = { family: 4, w0: below(0xffff_ffff), w1: 0, w2: 0, w3: 0 } as const;
        assert.deepEqual(
          reader.get(formatAddress(address)) ?? undefined,
          entries.find(({ prefix }) => contains(prefix, address))?.record,
        );
      }
    }
  });

  test('answers for IPv4-mapped and NAT64 addresses as for their IPv4 ones, and for 6to4 as for any other IPv6', () => {
    const reader = open(fileOf([entry('1.2.3.0/24', record(9))]));
    for (const address of ['::ffff:1.2.3.4', '64:ff9b::1.2.3.4']) assert.deepEqual(reader.get(address), record(9));
    assert.equal(reader.get('2002:102:304::1'), null);
    assert.equal(reader.get('1.2.4.0'), null);
  });

  test('of IPv4 alone has a tree of 32 bits', () => {
    const file = fileOf([entry('1.2.3.4', record(9))], 4);
    const { metadata } = verifyMmdb(file);
    assert.deepEqual([metadata.ip_version, metadata.node_count, metadata.record_size], [4, 32, 24]);
    assert.deepEqual(open(file).get('1.2.3.4'), record(9));
  });

  test('without entries is sound and knows nothing', () => {
    const file = fileOf([]);
    assert.equal(verifyMmdb(file).values, 0);
    assert.equal(open(file).get('1.2.3.4'), null);
  });

  test('holds a record once, also where two objects say the same', () => {
    const file = fileOf([
      entry('1.0.0.0/8', record(9, { asn: 1 })),
      entry('3.0.0.0/8', record(9, { asn: 1 })),
      entry('2001:db9::/32', record(7)),
    ]);
    assert.equal(verifyMmdb(file).values, 2);
  });

  test('says what it is', () => {
    const { metadata } = verifyMmdb(fileOf([entry('1.2.3.4', record(9))]));
    assert.deepEqual(
      [metadata.build_epoch, metadata.database_type, metadata.description],
      [1_795_000_000, 'Test', { en: 'a test\nof two lines' }],
    );
  });

  test('refuses prefixes over one another', () => {
    assert.throws(() => fileOf([entry('1.2.0.0/16', record(1)), entry('1.2.3.0/24', record(2))]), RangeError);
    assert.throws(() => fileOf([entry('1.2.3.0/24', record(1)), entry('1.2.0.0/16', record(2))]), RangeError);
    assert.throws(() => fileOf([entry('1.2.3.0/24', record(1)), entry('1.2.3.0/24', record(2))]), RangeError);
    assert.throws(() => fileOf([entry('2001:db9::/32', record(1))], 4), RangeError);
  });
});

test('records of 24, 28 and 32 bits lead to the same places, past 24 bits too', () => {
  for (const [size, gap] of [
    [24, 0],
    [28, 0],
    [28, 2 ** 24 + 5],
    [32, 2 ** 24 + 5],
  ] as const) {
    const tree = new MmdbTree(4);
    tree.add(parsePrefix('128.0.0.0/2')!, 0);
    tree.add(parsePrefix('255.255.255.255')!, 1);
    const data = new MmdbData();
    const first = data.add({ a: 'first' });
    const second = data.add({ a: 'second' }) + gap;
    const section = Buffer.alloc(data.length + gap);
    section.set(data.bytes().subarray(0, second - gap), 0);
    section.set(data.bytes().subarray(second - gap), second);
    const metadata = new MmdbData();
    const uint16 = (value: number): MmdbNumber => new MmdbNumber('uint16', value);
    metadata.add({
      binary_format_major_version: uint16(2),
      node_count: uint16(tree.nodeCount),
      record_size: uint16(size),
      ip_version: uint16(4),
    });
    const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
    const reader = open(
      Buffer.concat([...tree.pieces(size, Uint32Array.of(first, second)), section, marker, metadata.bytes()]),
    );
    assert.deepEqual(
      [reader.get('190.0.0.1'), reader.get('255.255.255.255'), reader.get('255.255.255.254'), reader.get('1.1.1.1')],
      [{ a: 'first' }, { a: 'second' }, null, null],
      `${size} bits, a gap of ${gap}`,
    );
  }
});

test('the smallest record that holds nodes and data is taken', () => {
  const tree = new MmdbTree(4);
  assert.deepEqual(
    [2 ** 24 - 18, 2 ** 24 - 17, 2 ** 28 - 18, 2 ** 28 - 17].map((length) => tree.recordSize(length)),
    [24, 28, 28, 32],
  );
});

test('texts, lists and numbers of every size of the format come back', () => {
  const texts = [0, 1, 28, 29, 284, 285, 65_820, 65_821, 70_000].map(
    (length) => 'é'.repeat(length >> 1) + (length % 2 === 1 ? 'x' : ''),
  );
  const values = [...texts, ...texts].map((text, i) => ({
    [`key ${i % 9} that repeats`]: text,
    list: Array.from({ length: 40 }, (_, n) => `item ${n % 35}`),
  }));
  const numbers = [0, 1, 255, 256, 65_535].map((value) => new MmdbNumber('uint16', value));
  const data = new MmdbData();
  const offsets = values.map((value) => data.add(value));
  const at = data.add({
    numbers,
    large: new MmdbNumber('uint64', Number.MAX_SAFE_INTEGER),
    asn: new MmdbNumber('uint32', 0xffff_ffff),
  });
  const bytes = Buffer.from(data.bytes());
  const read = (offset: number) => decodeValue({ name: 'test', bytes, dataStart: 0, dataEnd: bytes.length }, offset);
  assert.deepEqual(offsets.map(read), values);
  assert.deepEqual(read(at), { numbers: [0, 1, 255, 256, 65_535], large: Number.MAX_SAFE_INTEGER, asn: 0xffff_ffff });
  assert.equal(offsets[9], offsets[0], 'an equal value is not added again');
});
