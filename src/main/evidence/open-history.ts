import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BULK_WORK, CALLER_WORK } from '../../adapters/database/answer-deadline.ts';
import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import type { EvidenceMeta } from '../../engine/evidence/evidence-delta.ts';
import type { HistoryStore } from '../../service/ports.ts';

/** Where evidence is kept: the part of Config that says so. */
export interface HistoryTarget {
  readonly dataDir: string;
  /** postgres://…, one store for all nodes; undefined: `evidence.db` in the data folder. */
  readonly databaseUrl?: string | undefined;
}

/** Connections a thread may have open to the evidence store; half a dozen threads a node share what PostgreSQL allows with the other nodes. */
const CONNECTIONS = 3;

export interface HistoryUse {
  /** Callers wait for what is done: a store over the network that falls silent is given up within three seconds. Without it bulk work is given more. */
  readonly forCallers?: boolean;
  /** Heard when a store over the network goes down while nothing is asked of it. */
  readonly onLost?: () => void;
}

/**
 * Opens the evidence store; it is made on first use. Several threads, processes and (over PostgreSQL) nodes may have it open.
 * Only the code of the store in use is loaded: every thread opens one, and a start waits for them.
 */
export async function openHistory({ dataDir, databaseUrl }: HistoryTarget, { forCallers = false, onLost }: HistoryUse = {}): Promise<HistoryStore> {
  if (databaseUrl === undefined) return new (await import('../../adapters/history/sqlite/history.ts')).SqliteHistory(join(dataDir, 'evidence.db'));
  const { PostgresHistory } = await import('../../adapters/history/postgres/history.ts');
  return new PostgresHistory(databaseUrl, { connections: CONNECTIONS, work: forCallers ? CALLER_WORK : BULK_WORK, ...(onLost && { onLost }) });
}

/** For the threads that make images: of which store, and where an image is kept for the next start. */
export interface EvidenceOrder {
  readonly target: HistoryTarget;
  readonly path?: string | undefined;
}

export interface MadeEvidence {
  readonly image: SharedArrayBuffer;
  readonly meta: EvidenceMeta;
}

/** An image that is being compiled. */
export interface EvidenceWork {
  /** As soon as it can be served. */
  readonly made: Promise<MadeEvidence>;
  /** Resolves when the file is written as well. */
  readonly written: Promise<void>;
}

/** Compiles everything in the store into an image in a thread of its own. */
export function makeEvidence(order: EvidenceOrder): EvidenceWork {
  const worker = new Worker(new URL('./compile-evidence-worker.ts', import.meta.url), { workerData: plain(order) });
  const written = new Promise<void>((resolve, reject) => {
    worker.once('error', reject);
    worker.once('exit', (code) => (code === 0 ? resolve() : reject(new Error(`the compiler thread ended with ${code}`))));
  });
  const made = new Promise<MadeEvidence>((resolve, reject) => {
    worker.once('message', resolve);
    written.then(() => reject(new Error('the compiler thread ended without an image')), reject);
  });
  return { made, written };
}

/** What the merging thread is asked: an image with everything that was accepted since `base`, or to keep the last one it made. */
export type MergeCall = { readonly do: 'merge'; readonly base: SharedArrayBuffer } | { readonly do: 'keep' };

/** A merging thread without work for this long ends. */
const MERGER_IDLE_MS = 10 * 60_000;

/** The thread that merges: there when something is asked of it. A merge is undefined where the store no longer says what changed since the base. */
export function openMerger(order: EvidenceOrder): WorkerCalls<MergeCall, MadeEvidence | undefined> {
  const options = { workerData: plain(order), idleMs: MERGER_IDLE_MS, ended: 'the merging thread ended' };
  return new WorkerCalls(new URL('./merge-evidence-worker.ts', import.meta.url), options);
}

/** Without whatever else the configuration holds. */
const plain = ({ target: { dataDir, databaseUrl }, path }: EvidenceOrder): EvidenceOrder => ({ target: { dataDir, databaseUrl }, path });
