import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unixMs } from '../units.ts';
import { isCurrent, isFresh, type KeptList } from './kept-list.ts';

const MADE: KeptList = { version: '7 a', overrides: 'a', madeAt: unixMs(1_000_000), costMs: 500 };

test('a list rests twenty times as long as its making took, but never after a decision of an operator', () => {
  assert.ok(isFresh(MADE, unixMs(1_009_999), 'a'));
  assert.ok(!isFresh(MADE, unixMs(1_010_000), 'a'));
  assert.ok(!isFresh(MADE, unixMs(1_000_001), 'a b'));
});

test('a list of the same data is made again after ten minutes, and when the clock goes back', () => {
  assert.ok(isCurrent(MADE, unixMs(1_599_999), '7 a'));
  assert.ok(!isCurrent(MADE, unixMs(1_600_000), '7 a'));
  assert.ok(!isCurrent(MADE, unixMs(999_999), '7 a'));
  assert.ok(!isCurrent(MADE, unixMs(1_000_001), '8 a'));
});
