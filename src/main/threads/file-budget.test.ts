import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fileBudget, openFilesMax } from './file-budget.ts';

test('connections and relays leave files for the process, are never fewer than a few, and take no more memory than allowed', () => {
  assert.deepEqual(fileBudget(1024, 2), { relaysMax: 52, connectionsMax: 312 });
  assert.deepEqual(fileBudget(65_536, 8), { relaysMax: 32, connectionsMax: 2500 });
  assert.deepEqual(fileBudget(Number.POSITIVE_INFINITY, 4), { relaysMax: 64, connectionsMax: 5000 });
  assert.deepEqual(fileBudget(64, 2), { relaysMax: 2, connectionsMax: 16 });
  fc.assert(
    fc.property(fc.integer({ min: 1024, max: 1_000_000 }), fc.integer({ min: 1, max: 16 }), (files, threads) => {
      const { relaysMax, connectionsMax } = fileBudget(files, threads);
      assert.ok(relaysMax > 0 && threads * relaysMax <= 256);
      assert.ok(connectionsMax > 0 && threads * connectionsMax <= 20_000);
      assert.ok(threads * (connectionsMax + 2 * relaysMax) < files, 'a relay has two ends');
    }),
  );
});

test('the number of files is read from the system', () => {
  assert.ok(openFilesMax() >= 16);
});
