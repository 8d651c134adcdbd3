import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WindowCount } from './window-count.ts';

test('each window has so many, and the rest of one is not the next one’s', () => {
  const count = new WindowCount(1000, 2);
  assert.deepEqual(
    [0, 1, 999, 1000, 1999, 5000, 5001, 5002].map((at) => count.take(at)),
    [true, true, false, true, true, true, true, false],
  );
  assert.deepEqual([count.isFull(5999), count.isFull(6000)], [true, false]);
});
