import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { Recent } from './recent.ts';

test('never holds more than its capacity, and always the last half of it that was used', () => {
  const use = fc.record({ key: fc.nat(30), set: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 20 }), fc.array(use, { maxLength: 200 }), (capacity, uses) => {
      const recent = new Recent<number, number>(capacity);
      const order: number[] = [];
      for (const { key, set } of uses) {
        const found = recent.get(key);
        if (found === undefined && set) recent.set(key, key * 10);
        else if (found === undefined) continue;
        else assert.equal(found, key * 10);
        if (order.includes(key)) order.splice(order.indexOf(key), 1);
        order.push(key);
        assert.ok(recent.size <= capacity);
      }
      const sure = order.slice(-Math.max(1, Math.floor(capacity / 2) - 1));
      for (const key of sure) assert.equal(recent.get(key), key * 10);
    }),
  );
});

test('an entry that is crowded out is reported, once; a deleted or cleared one is not', () => {
  const dropped: number[] = [];
  const recent = new Recent<number, number>(4, (value) => dropped.push(value));
  for (let key = 0; key < 7; key += 1) recent.set(key, key);
  const held = [0, 1, 2, 3, 4, 5, 6].filter((key) => recent.get(key) !== undefined);
  assert.deepEqual([...dropped, ...held].sort(), [0, 1, 2, 3, 4, 5, 6]);
  const before = dropped.length;
  recent.delete(held[0]!);
  recent.clear();
  assert.equal(recent.size, 0);
  assert.equal(dropped.length, before);
});
