import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import type { EnrichedBytes } from '../../core/enrich/block-enricher.ts';
import { type EnrichCall, type LocalOrder, localEnricher } from './local-enricher.ts';

/** What enriches blocks, several at a time. */
export interface Enricher {
  /** Blocks that may be under way or enriched and not taken up yet: with one that is being written the memory is in use. */
  readonly together: number;
  /** @param block is valid until the call returns @returns bytes that are valid until `together` + 1 further blocks were given */
  enrich(block: Uint8Array, isFirst: boolean): Promise<EnrichedBytes>;
  close(): Promise<void>;
}

/** Enriches in this thread. */
export function enrichHere(order: LocalOrder): Enricher {
  const enricher = localEnricher(order, Buffer.allocUnsafeSlow);
  return { together: 1, enrich: async (block, isFirst) => enricher.enrich(block, isFirst), close: async () => {} };
}

/** Enriches in threads of its own, block by block in turn. Images, blocks and what becomes of them lie in memory that all share. */
export function enrichThreads(order: LocalOrder, jobs: number): Enricher {
  const threads = Array.from(
    { length: jobs },
    () =>
      new WorkerCalls<EnrichCall, EnrichedBytes>(new URL('./enrich-worker.ts', import.meta.url), { workerData: order, ended: 'a thread that enriches ended' }),
  );
  const memories: Uint8Array[] = [];
  let turn = 0;
  return {
    together: 2 * jobs - 1,
    enrich: (block, isFirst) => {
      const slot = turn++ % (2 * jobs);
      const memory = memories[slot];
      const roomy = memory !== undefined && memory.length >= block.length ? memory : new Uint8Array(new SharedArrayBuffer(2 * block.length));
      memories[slot] = roomy;
      roomy.set(block);
      return threads[slot % jobs]!.call({ block: roomy.subarray(0, block.length), isFirst });
    },
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
