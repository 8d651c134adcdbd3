/**
 * A thread of the concurrency tests. It charges as fast as it can, the given number of times, and reports how
 * many charges passed.
 */
import { parentPort, workerData } from 'node:worker_threads';
import type { ChargeRequest } from '../../../core/quota/quota.ts';
import { MemoryLedger } from './memory-ledger.ts';
import type { SharedLedger } from './shared-ledger.ts';

interface Job {
  readonly shared: SharedLedger;
  readonly owner: number;
  readonly requests: readonly ChargeRequest[];
  readonly rounds: number;
  readonly gate: SharedArrayBuffer;
  /** One in this many passed charges is given back; 0 for none. */
  readonly refundEvery: number;
}

const job = workerData as Job;
const ledger = new MemoryLedger(job.shared, { owner: job.owner, writer: `t${job.owner}` });
const gate = new Int32Array(job.gate);
parentPort!.postMessage('waiting');
Atomics.wait(gate, 0, 0);
let passed = 0;
let refunded = 0;
for (let round = 0; round < job.rounds; round++) {
  for (const request of job.requests) {
    const result = ledger.charge(request);
    if (!result.ok) continue;
    passed += request.units;
    if (job.refundEvery > 0 && passed % job.refundEvery === 0) {
      ledger.refund(result.receipt, request.at);
      refunded += request.units;
    }
  }
  ledger.flushed();
}
await ledger.close();
parentPort!.postMessage({ passed, refunded });
