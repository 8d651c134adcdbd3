import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOff } from './back-off.ts';

test('a wait doubles after each failure up to its bound, however many there were', () => {
  assert.deepEqual(
    [1, 2, 3, 4, 5, 10_000].map((failures) => backOff(failures, { firstMs: 1000, maxMs: 9000 })),
    [1000, 2000, 4000, 8000, 9000, 9000],
  );
});
