import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CompiledEvidence } from '../service/compile-evidence.ts';
import type { HistoryStore } from '../service/ports.ts';

/** Where evidence is kept: the part of Config that says so. */
export interface HistoryTarget {
  readonly dataDir: string;
  /** postgres://…, one store for all nodes; undefined: `evidence.db` in the data folder. */
  readonly databaseUrl?: string | undefined;
}

/** Connections a thread may have open to the evidence store; half a dozen threads a node share what PostgreSQL allows with the other nodes. */
const CONNECTIONS = 3;

/**
 * Opens the evidence store; it is made on first use. Several threads, processes and (over PostgreSQL) nodes may have it open.
 * Only the code of the store in use is loaded: every thread opens one, and a start waits for them.
 */
export async function openHistory({ dataDir, databaseUrl }: HistoryTarget): Promise<HistoryStore> {
  if (databaseUrl === undefined) return new (await import('../adapters/history/sqlite/history.ts')).SqliteHistory(join(dataDir, 'evidence.db'));
  return new (await import('../adapters/history/postgres/history.ts')).PostgresHistory(databaseUrl, CONNECTIONS);
}

/** Compiles the store into an image in a thread of its own. The bytes are handed over, not copied. */
export function compileEvidenceInWorker({ dataDir, databaseUrl }: HistoryTarget): Promise<CompiledEvidence> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./compile-evidence-worker.ts', import.meta.url), { workerData: { dataDir, databaseUrl } });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the compiler thread ended with ${code} and no image`)));
  });
}
