import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { connectionsMax, openFilesMax } from './connections-max.ts';

test('connections leave files for the process, never fewer than a few, never more than memory allows', () => {
  assert.equal(connectionsMax(1024, 2), 416);
  assert.equal(connectionsMax(65_536, 8), 2500);
  assert.equal(connectionsMax(Number.POSITIVE_INFINITY, 4), 5000);
  assert.equal(connectionsMax(64, 2), 16);
  fc.assert(
    fc.property(fc.integer({ min: 1024, max: 1_000_000 }), fc.integer({ min: 1, max: 16 }), (files, threads) => {
      const all = threads * connectionsMax(files, threads);
      assert.ok(all < files && all <= 20_000 && all > 0);
    }),
  );
});

test('the number of files is read from the system', () => {
  assert.ok(openFilesMax() >= 16);
});
