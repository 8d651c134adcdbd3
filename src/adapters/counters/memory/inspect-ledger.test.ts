import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { countWork } from '../../../../test/support/fuzz/count-work.ts';
import { testFolder } from '../../../../test/support/test-folder.ts';
import type { Total } from './day-totals.ts';

// Begun before the code below is loaded: see there.
const work = countWork();
const { writeTotals } = await import('./day-totals.ts');
const { inspectLedger } = await import('./inspect-ledger.ts');
const { totalsName } = await import('./ledger-files.ts');
const { verifyTotals } = await import('./verify-totals.ts');

const dir = testFolder('inspect');
after(() => work.stop());
const DAY = 20_000;
const ROWS = 5000;
const path = join(dir, totalsName(DAY));

test('a start reads whole totals as long as their check takes, and counts the rows only of damaged ones', () => {
  writeTotals(
    dir,
    DAY,
    [],
    Array.from(
      { length: ROWS },
      (_, n): Total => ({ h1: n + 1, h2: Math.imul(n, 0x9e37_79b1) | 1, pool: 2, used: n, refunded: 0 }),
    ),
  );
  verifyTotals(readFileSync(path), DAY);
  work.take();
  assert.equal(verifyTotals(readFileSync(path), DAY), undefined);
  const check = work.take();
  assert.deepEqual(inspectLedger(dir), []);
  const start = work.take();
  assert.ok(check > ROWS && start < 1.5 * check, `${start} blocks of code at a start, ${check} for the check`);
  const damaged = readFileSync(path);
  damaged.writeInt32LE(1, damaged.length - 4);
  writeFileSync(path, damaged);
  const [{ file, readable, unreadable, fault } = { file: '', readable: 0, unreadable: 0, fault: '' }] =
    inspectLedger(dir);
  assert.deepEqual([file, readable, unreadable], [totalsName(DAY), ROWS - 1, 1]);
  assert.match(fault!, /does not pass its check/);
});
