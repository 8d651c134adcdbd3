import assert from 'node:assert/strict';
import { test } from 'node:test';
import { progressText } from './print.ts';

test('progress says share, rate and time left, or the lines where the size is not known', () => {
  assert.equal(progressText({ records: 2_500_000, share: 0.25 }, 2), '25 % · 1.3M lines/s · 0:06 left');
  assert.equal(progressText({ records: 100, share: undefined }, 1), '100 lines · 100 lines/s');
});
