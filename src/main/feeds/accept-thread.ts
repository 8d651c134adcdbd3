import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import type { Config } from '../../config.ts';
import type { AcceptOutcome } from '../../service/feeds/accept-quarantined.ts';

/** What the thread needs to know. */
export type AcceptTarget = Pick<Config, 'dataDir' | 'databaseUrl' | 'feeds'>;

export interface AcceptCall {
  readonly id: string;
  readonly digest: string;
}

/** A thread without work for this long ends; operators accept rarely. */
const IDLE_MS = 10_000;

/** Takes in readings from quarantine in a thread of its own, which lives while there is one: lists are large, and the thread that asks goes on answering. */
export class AcceptThread {
  readonly #calls: WorkerCalls<AcceptCall, AcceptOutcome>;

  constructor({ dataDir, databaseUrl, feeds }: AcceptTarget) {
    const workerData: AcceptTarget = { dataDir, databaseUrl, feeds };
    const entry = new URL('./accept-worker.ts', import.meta.url);
    this.#calls = new WorkerCalls(entry, {
      workerData,
      idleMs: IDLE_MS,
      ended: 'the thread that accepts readings ended',
    });
  }

  /** @throws Error when the reading cannot be read or stored */
  accept(id: string, digest: string): Promise<AcceptOutcome> {
    return this.#calls.call({ id, digest });
  }

  close(): Promise<void> {
    return this.#calls.close();
  }
}
