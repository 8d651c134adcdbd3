import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clockSkew } from './collection-tally.ts';

test('the skew is the difference to the middle of the question, where it is more than a reading can be wrong by', () => {
  assert.equal(clockSkew({ askedAt: 1000, answeredAt: 1100, saidAt: 61_050, resolutionMs: 1 }), 60_001);
  assert.equal(clockSkew({ askedAt: 1000, answeredAt: 1100, saidAt: 1090, resolutionMs: 1 }), 0);
  // A Date in whole seconds says nothing about a smaller difference.
  assert.equal(clockSkew({ askedAt: 1900, answeredAt: 1900, saidAt: 1000, resolutionMs: 1000 }), 0);
  assert.equal(clockSkew({ askedAt: 9000, answeredAt: 9000, saidAt: 4000, resolutionMs: 1000 }), -4500);
});
