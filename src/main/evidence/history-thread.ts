import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import type { UnixMs } from '../../core/units.ts';
import type { ImportOutcome } from '../../service/import-captures.ts';
import type { CompactionOutcome, HistoryStore } from '../../service/ports.ts';
import type { HistoryTarget, HistoryUse } from './open-history.ts';

/** What the thread is asked to do: a method of the store, or an import of one body. */
export type HistoryCall =
  | { readonly do: 'compact'; readonly with: Parameters<HistoryStore['compact']> }
  | { readonly do: 'import'; readonly with: readonly [source: string, body: Uint8Array, at: UnixMs] }
  | { readonly do: 'close'; readonly with: readonly [] };

/** A thread without work for this long ends; intake and compaction are rare. */
const IDLE_MS = 60_000;

/** Writes to the evidence store from a thread of its own, which lives while there is something to write. The thread that asks goes on answering. */
export class HistoryThread {
  readonly #calls: WorkerCalls<HistoryCall, unknown>;

  /** @param use as `openHistory` takes it */
  constructor({ dataDir, databaseUrl }: HistoryTarget, { forCallers = false }: Pick<HistoryUse, 'forCallers'> = {}) {
    const options = { workerData: { dataDir, databaseUrl, forCallers }, idleMs: IDLE_MS, ended: 'the writing thread ended' };
    this.#calls = new WorkerCalls(new URL('./history-worker.ts', import.meta.url), options);
  }

  compact(...args: Parameters<HistoryStore['compact']>): Promise<CompactionOutcome> {
    return this.#calls.call({ do: 'compact', with: args }) as Promise<CompactionOutcome>;
  }

  /** Takes the captures of one body in, in one transaction as long as it holds fewer rows than importCaptures puts into one. */
  import(source: string, body: Uint8Array, at: UnixMs): Promise<ImportOutcome> {
    return this.#calls.call({ do: 'import', with: [source, body, at] }) as Promise<ImportOutcome>;
  }

  /** Lets the write under way finish; compacting stops at its next pause. */
  async close(): Promise<void> {
    if (this.#calls.running) await this.#calls.call({ do: 'close', with: [] });
    await this.#calls.close();
  }
}
