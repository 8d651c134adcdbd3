import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { countWork } from '../../../../test/support/fuzz/count-work.ts';
import { testFolder } from '../../../../test/support/test-folder.ts';
import type { Total } from './day-totals.ts';

const DAY = 20_000;
const ROWS = 5000;

if (isMainThread)
  test('a start reads whole totals as long as their check takes, and counts the rows only of damaged ones', async () => {
    const { inspectLedger } = await import('./inspect-ledger.ts');
    const { totalsName } = await import('./ledger-files.ts');
    const { writeTotals } = await import('./day-totals.ts');
    const dir = testFolder('inspect');
    writeTotals(
      dir,
      DAY,
      [],
      Array.from(
        { length: ROWS },
        (_, n): Total => ({ h1: n + 1, h2: Math.imul(n, 0x9e37_79b1) | 1, pool: 2, used: n, refunded: 0 }),
      ),
    );
    const path = join(dir, totalsName(DAY));
    // Uses a thread of its own, so that code that other tests loaded is not counted.
    const [{ check, start }] = await once(
      new Worker(new URL(import.meta.url), { workerData: { dir, path } }),
      'message',
    );
    assert.ok(check > ROWS && start < 1.5 * check, `${start} blocks of code at a start, ${check} for the check`);
    const damaged = readFileSync(path);
    damaged.writeInt32LE(1, damaged.length - 4);
    writeFileSync(path, damaged);
    const [{ file, readable, unreadable, fault } = { file: '', readable: 0, unreadable: 0, fault: '' }] =
      inspectLedger(dir);
    assert.deepEqual([file, readable, unreadable], [totalsName(DAY), ROWS - 1, 1]);
    assert.match(fault!, /does not pass its check/);
  });
else await countBlocks(workerData as { dir: string; path: string });

async function countBlocks({ dir, path }: { readonly dir: string; readonly path: string }): Promise<void> {
  const work = countWork();
  const { inspectLedger } = await import('./inspect-ledger.ts');
  const { verifyTotals } = await import('./verify-totals.ts');
  verifyTotals(readFileSync(path), DAY);
  work.take();
  assert.equal(verifyTotals(readFileSync(path), DAY), undefined);
  const check = work.take();
  assert.deepEqual(inspectLedger(dir), []);
  const start = work.take();
  work.stop();
  parentPort!.postMessage({ check, start });
}
