import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rangeAt } from '../../../test/support/range-at.ts';
import { RangeBuilder } from './range-builder.ts';
import { RangeRows } from './range-rows.ts';
import { sweepRanges } from './sweep-ranges.ts';

const TOP = 0xffff_ffff;

test('a partition starts at 0, rises strictly and has no equal neighbours', () => {
  const out = new RangeBuilder(4, 1);
  out.push4(0, 0);
  out.push4(10, 5);
  out.push4(20, 5);
  out.push4(30, 0);
  out.push4(30, 7);
  out.push4(40, 1);
  out.push4(40, 7);
  const set = out.finish();
  assert.deepEqual([...set.starts], [0, 10, 30]);
  assert.deepEqual([...set.ids], [0, 5, 7]);
});

test('of overlapping rows the one that starts later wins, and the outer one goes on after it', () => {
  const rows = new RangeRows(4, 1);
  rows.add4(100, 199, 1);
  rows.add4(0, TOP, 9);
  rows.add4(120, 129, 2);
  rows.add4(TOP, TOP, 3);
  const set = rows.partition();
  const at = (address: number): number => rangeAt(set, [address]);
  assert.deepEqual([0, 99, 100, 119, 120, 129, 130, 199, 200, TOP - 1, TOP].map(at), [9, 9, 1, 1, 2, 2, 1, 1, 9, 9, 3]);
});

test('rows of IPv6 carry over word boundaries and end at the end of the space', () => {
  const rows = new RangeRows(6, 1);
  rows.add6([0x2001_0000, 0, 0, 0], [0x2001_0000, TOP, TOP, TOP], 1);
  rows.add6([0xffff_0000, 0, 0, 0], [TOP, TOP, TOP, TOP], 2);
  const set = rows.partition();
  assert.deepEqual([...set.starts], [0, 0, 0, 0, 0x2001_0000, 0, 0, 0, 0x2001_0001, 0, 0, 0, 0xffff_0000, 0, 0, 0]);
  assert.deepEqual([...set.ids], [0, 1, 0, 2]);
});

test('any rows: every address gets the row a plain scan picks', () => {
  const row = fc.tuple(
    fc.integer({ min: 0, max: 300 }),
    fc.integer({ min: 0, max: 80 }),
    fc.integer({ min: 1, max: 9 }),
  );
  fc.assert(
    fc.property(fc.array(row, { maxLength: 25 }), (list) => {
      const rows = new RangeRows(4, 1);
      for (const [first, length, id] of list) rows.add4(first, first + length, id);
      const set = rows.partition();
      for (let address = 0; address <= 400; address++) {
        const hits = list
          .map(([first, length, id], i) => ({ first, last: first + length, id, i }))
          .filter((hit) => hit.first <= address && address <= hit.last);
        hits.sort((a, b) => b.first - a.first || a.last - b.last || b.i - a.i);
        assert.equal(rangeAt(set, [address]), hits[0]?.id ?? 0, `address ${address}`);
      }
      for (let i = 1; i < set.count; i++)
        assert.ok(set.starts[i]! > set.starts[i - 1]! && set.ids[i] !== set.ids[i - 1]);
    }),
  );
});

test('a sweep decides every distinct tuple once and answers as the layers one by one do', () => {
  const partition = fc.array(fc.tuple(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 3 })), {
    maxLength: 30,
  });
  fc.assert(
    fc.property(fc.array(partition, { minLength: 1, maxLength: 4 }), (lists) => {
      const sets = lists.map((list) => {
        const out = new RangeBuilder(4, 1);
        for (const [start, id] of [...list].sort((a, b) => a[0] - b[0])) out.push4(start, id);
        return out.finish();
      });
      const seen = new Set<string>();
      const merged = sweepRanges(4, sets, (ids) => {
        const key = ids.join(' ');
        assert.ok(!seen.has(key), 'decided twice');
        seen.add(key);
        return ids.reduce((sum, id) => sum * 4 + id, 0);
      });
      for (let address = 0; address <= 510; address += 3)
        assert.equal(
          rangeAt(merged, [address]),
          sets.map((set) => rangeAt(set, [address])).reduce((sum, id) => sum * 4 + id, 0),
        );
    }),
  );
});
