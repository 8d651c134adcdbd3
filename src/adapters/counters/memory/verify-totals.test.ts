import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { testFolder } from '../../../../test/support/test-folder.ts';
import { RECORD_BYTES, writeRecord } from './charge-record.ts';
import { readTotals, type Total, writeTotals } from './day-totals.ts';
import { totalsName } from './ledger-files.ts';
import { verifyTotals } from './verify-totals.ts';

const DAY = 20_522;
const int = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
const row = fc.record({
  h1: int,
  h2: int,
  pool: fc.integer({ min: 1, max: 5 }),
  used: fc.integer({ min: -5, max: 1_000_000 }),
  refunded: fc.integer({ min: 0, max: 1000 }),
});
const rowsOf = fc.uniqueArray(row, { selector: ({ h1, h2 }) => `${h1},${h2}`, maxLength: 6 });
const namesOf = fc.uniqueArray(
  fc
    .tuple(fc.stringMatching(/^[0-9a-z]{1,8}$/), fc.nat({ max: 20 }))
    .map(([writer, n]) => `charges-${DAY}-${writer}-${n}.log`),
  { maxLength: 4 },
);

const folder = testFolder('totals');

function written(names: readonly string[], rows: readonly Total[]): Buffer {
  writeTotals(folder, DAY, names, rows);
  return readFileSync(join(folder, totalsName(DAY)));
}

test('the file that was written is sound, and reads as the rows and names that went in', () => {
  fc.assert(
    fc.property(namesOf, rowsOf, (names, rows) => {
      assert.equal(verifyTotals(written(names, rows), DAY), undefined);
      const { folded, totals } = readTotals(folder, DAY);
      assert.deepEqual([folded, [...totals.values()]], [new Set(names), rows.map((one) => ({ ...one }))]);
    }),
  );
});

test('every byte that changes, goes or comes is refused', () => {
  fc.assert(
    fc.property(namesOf, rowsOf, fc.integer({ min: 1, max: 255 }), (names, rows, flip) => {
      const bytes = written(names, rows);
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= flip;
        const fault = verifyTotals(changed, DAY);
        assert.ok(fault !== undefined && fault.at <= bytes.length, `byte ${at} of ${bytes.length}`);
        const cut = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]);
        assert.notEqual(verifyTotals(cut, DAY), undefined, `without byte ${at}`);
        const more = Buffer.concat([bytes.subarray(0, at), Buffer.of(flip), bytes.subarray(at)]);
        assert.notEqual(verifyTotals(more, DAY), undefined, `one more at ${at}`);
      }
    }),
    { numRuns: 30 },
  );
});

const a: Total = { h1: 7, h2: -9, pool: 2, used: 12, refunded: 3 };
const b: Total = { ...a, h1: 8 };
const NAME = `charges-${DAY}-w1-0.log`;

/** Returns a damaged file with a matching checksum, as a faulty writer would make it. */
function resummed(bytes: Buffer, change: (bytes: Buffer) => void): Buffer {
  const copy = Buffer.from(bytes);
  change(copy);
  copy.writeUInt32LE(crc32(copy.subarray(20)), 16);
  return copy;
}

function withRow(bytes: Buffer, index: number, change: Partial<Total>): Buffer {
  const { h1, h2, used, refunded, pool } = { ...[a, b][index]!, ...change };
  return resummed(bytes, (copy) => {
    const words = new Int32Array(RECORD_BYTES / 4);
    writeRecord(words, 0, h1, h2, used, refunded, pool);
    Buffer.from(words.buffer).copy(copy, copy.length - (2 - index) * RECORD_BYTES);
  });
}

test('a fault is named with its place: a content that the writer never writes is refused though its checksums are right', () => {
  const bytes = written([NAME], [a, b]);
  const [list, rows] = [20, 20 + Math.ceil(NAME.length / 4) * 4];
  for (const [how, at, changed] of [
    ['the magic number is missing', 0, Buffer.concat([Buffer.from('PULSEQT3'), bytes.subarray(8)])],
    ['it ends inside its header', 10, bytes.subarray(0, 10)],
    ['a list of names of 25 bytes does not fit', 8, resummed(bytes, (copy) => copy.writeUInt32LE(25, 8))],
    ['48 bytes are not 3 rows', 12, resummed(bytes, (copy) => copy.writeUInt32LE(3, 12))],
    ['the checksum differs', 16, Buffer.concat([bytes.subarray(0, 16), Buffer.alloc(4), bytes.subarray(20)])],
    ['the name of a log of that day belongs here', list, resummed(bytes, (copy) => copy.write('xharges', list))],
    ['the name of a log of that day belongs here', list, resummed(bytes, (copy) => copy.write('20523', list + 8))],
    ['a log is named twice', list + NAME.length + 1, written([NAME, NAME], [a])],
    ['a row does not pass its check', rows + 24, resummed(bytes, (copy) => copy.writeInt32LE(99, rows + 24 + 8))],
    ['pool 6 does not exist', rows, withRow(bytes, 0, { pool: 6 })],
    ['a counter was refunded less than nothing', rows + 24, withRow(bytes, 1, { refunded: -1 })],
    ['a counter has a second row', rows + 24, withRow(bytes, 1, { h1: 7 })],
  ] as const)
    assert.deepEqual(verifyTotals(changed, DAY), { at, how });
  assert.throws(() => {
    written([NAME, NAME], [a]);
    readTotals(folder, DAY);
  }, /totals-20522\.bin is damaged at byte 43: a log is named twice$/);
});
