import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { EvidenceMeta } from '../engine/evidence/evidence-delta.ts';
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

/** What the thread that makes images is to do. */
export interface EvidenceOrder {
  readonly target: HistoryTarget;
  /** An image to bring up to the newest batch; undefined: compile everything. */
  readonly base?: SharedArrayBuffer | undefined;
  /** Where the image is kept for the next start. */
  readonly path?: string | undefined;
}

export interface MadeEvidence {
  readonly image: SharedArrayBuffer;
  readonly meta: EvidenceMeta;
}

/** An order under way. */
export interface EvidenceWork {
  /** The image, as soon as it can be served; undefined: the store no longer says what changed since the base. */
  readonly made: Promise<MadeEvidence | undefined>;
  /** Resolves when the file is written as well. */
  readonly written: Promise<void>;
}

/** Makes an evidence image in a thread of its own. */
export function makeEvidence(order: EvidenceOrder): EvidenceWork {
  const { dataDir, databaseUrl } = order.target;
  const worker = new Worker(new URL('./compile-evidence-worker.ts', import.meta.url), { workerData: { ...order, target: { dataDir, databaseUrl } } });
  const written = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`the compiler thread ended with ${code}`))));
  });
  const made = new Promise<MadeEvidence | undefined>((resolve, reject) => {
    worker.once('message', resolve);
    written.then(() => reject(new Error('the compiler thread ended without an image')), reject);
  });
  return { made, written };
}
