import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { SqliteHistory } from '../adapters/history/sqlite/history.ts';
import type { Config } from '../config.ts';
import type { CompiledEvidence } from '../service/compile-evidence.ts';
import type { HistoryStore } from '../service/ports.ts';

/** Opens the evidence store of a data folder; makes it on first use. Several threads and processes may have it open. */
export function openHistory(config: Pick<Config, 'dataDir'>): HistoryStore {
  return new SqliteHistory(join(config.dataDir, 'evidence.db'));
}

/** Compiles the store into an image in a thread of its own. The bytes are handed over, not copied. */
export function compileEvidenceInWorker(config: Pick<Config, 'dataDir'>): Promise<CompiledEvidence> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./compile-evidence-worker.ts', import.meta.url), { workerData: { dataDir: config.dataDir } });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the compiler thread ended with ${code} and no image`)));
  });
}
