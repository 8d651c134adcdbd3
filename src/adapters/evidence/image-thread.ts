import type { EvidenceMeta } from '../../engine/evidence/evidence-delta.ts';
import type { DroppedRows } from '../../engine/evidence/evidence-row.ts';
import { WorkerCalls } from '../system/worker-calls.ts';
import type { HistoryTarget } from './open-history.ts';

export interface EvidenceWorkOptions {
  readonly target: HistoryTarget;
  readonly path?: string | undefined;
}

export interface EvidenceWorkResult {
  readonly image: SharedArrayBuffer;
  readonly meta: EvidenceMeta;
  readonly dropped: Readonly<DroppedRows>;
}

export type ImageCall =
  | { readonly do: 'compile' }
  | { readonly do: 'merge'; readonly base: SharedArrayBuffer }
  | { readonly do: 'keep' }
  | { readonly do: 'close' };

/** An idle thread stays for a while, because starting one takes longer than merging a small batch. */
const IDLE_MS = 10 * 60_000;

export class ImageThread {
  readonly #calls: WorkerCalls<ImageCall, EvidenceWorkResult | undefined>;

  constructor({ target: { dataDir, databaseUrl }, path }: EvidenceWorkOptions) {
    const options = {
      workerData: { target: { dataDir, databaseUrl }, path },
      idleMs: IDLE_MS,
      ended: 'the thread that makes evidence images ended',
    };
    this.#calls = new WorkerCalls(new URL('./image-worker.ts', import.meta.url), options);
  }

  async compile(): Promise<EvidenceWorkResult> {
    return (await this.#calls.call({ do: 'compile' }))!;
  }

  merge(base: SharedArrayBuffer): Promise<EvidenceWorkResult | undefined> {
    return this.#calls.call({ do: 'merge', base });
  }

  async keep(): Promise<void> {
    await this.#calls.call({ do: 'keep' });
  }

  async close(): Promise<void> {
    if (this.#calls.running) await this.#calls.call({ do: 'close' });
    await this.#calls.close();
  }
}

export interface EvidenceWork {
  /** Resolves when the image can be served; `written` resolves when its file is complete too. */
  readonly made: Promise<EvidenceWorkResult>;
  readonly written: Promise<void>;
}

export function makeEvidence(options: EvidenceWorkOptions): EvidenceWork {
  const thread = new ImageThread(options);
  const made = thread.compile();
  const written = made.then(() => thread.keep()).finally(() => thread.close());
  return { made, written };
}
