/** Entry of the thread that compiles evidence: reads `workerData.dataDir`, answers with one CompiledEvidence, ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../adapters/system/clock.ts';
import { compileEvidence } from '../service/compile-evidence.ts';
import { openHistory } from './open-evidence.ts';

const store = openHistory(workerData as { readonly dataDir: string });
try {
  const compiled = await compileEvidence(store, systemClock.now());
  parentPort?.postMessage(compiled, [compiled.bytes.buffer]);
} finally {
  await store.close();
}
