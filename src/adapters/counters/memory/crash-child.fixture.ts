/**
 * A process of the crash test. It charges, writes, and reports its answers until it is killed. Argument: the
 * ledger folder.
 */
import { writeSync } from 'node:fs';
import { unixMs } from '../../../core/units.ts';
import { MemoryLedger } from './memory-ledger.ts';
import { openSharedLedger } from './shared-ledger.ts';

const at = unixMs(Number(process.argv[3]));
const shared = openSharedLedger({ dir: process.argv[2]!, zone: 'Asia/Shanghai' }, at);
const ledger = new MemoryLedger(shared, { owner: 2, writer: `c${process.pid.toString(36)}` });
let answered = 0;
for (;;) {
  for (let i = 0; i < 50; i++) {
    const account = `account:crash-${i % 5}` as const;
    const result = ledger.charge({ at, units: 1, minute: [], day: [{ id: account, limit: 1e9, hardLimit: 1e9 }] });
    if (result.ok && i % 10 === 9) ledger.refund(result.receipt, at);
  }
  ledger.flushed();
  answered += 50;
  writeSync(1, `${answered}\n`);
}
