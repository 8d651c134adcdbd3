import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SecondBudget } from './second-budget.ts';

test('each second has so many, and what one leaves is not the next one’s', () => {
  const budget = new SecondBudget(2);
  assert.deepEqual(
    [0, 1, 999, 1000, 1999, 5000, 5001, 5002].map((at) => budget.take(at)),
    [true, true, false, true, true, true, true, false],
  );
});
