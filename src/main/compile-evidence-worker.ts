/** Entry of the thread that compiles evidence: reads the store that `workerData` names, answers with one CompiledEvidence, ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../adapters/system/clock.ts';
import { compileEvidence } from '../service/compile-evidence.ts';
import { type HistoryTarget, openHistory } from './open-evidence.ts';

const store = await openHistory(workerData as HistoryTarget);
try {
  const compiled = await compileEvidence(store, systemClock.now());
  parentPort?.postMessage(compiled, [compiled.bytes.buffer]);
} finally {
  await store.close();
}
