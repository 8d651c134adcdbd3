import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SlotIndex } from './slot-index.ts';

test('a number is found under its hash and no other, however many hashes meet and however far the table grew', () => {
  const hash = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer(), fc.constant(0xffff_ffff));
  fc.assert(
    fc.property(fc.array(hash, { maxLength: 300 }), fc.integer({ min: 0, max: 40 }), (hashes, expected) => {
      const index = new SlotIndex((id) => hashes[id - 1]!, expected);
      const found = (value: number): readonly number[] => {
        const ids: number[] = [];
        for (let id = index.first(value); id !== 0; id = index.next()) if (hashes[id - 1] === value) ids.push(id);
        return ids;
      };
      for (const [i, value] of hashes.entries()) index.add(value, i + 1);
      for (const value of hashes)
        assert.deepEqual(
          found(value).toSorted((a, b) => a - b),
          hashes.flatMap((other, i) => (other === value ? [i + 1] : [])),
        );
      assert.deepEqual(found(hashes.reduce((sum, value) => sum + Math.abs(value), 1) + 7), []);
    }),
  );
});
