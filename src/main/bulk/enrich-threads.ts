import { WorkerCalls } from '../../adapters/system/worker-calls.ts';
import type { BlockEnricher, EnrichOutput } from '../../core/enrich/block-enricher.ts';
import { type EnrichCall, type EnrichReply, type LocalEnrichOptions, localEnricher } from './local-enricher.ts';

export interface Enricher {
  /**
   * At most this many blocks may be under way or wait to be taken; with the one being written they use the
   * memory.
   */
  readonly together: number;
  /**
   * @param block valid until the call returns
   * @returns bytes that are valid until `together` + 1 further blocks were given
   */
  enrich(block: Uint8Array, isFirst: boolean): Promise<EnrichOutput>;
  close(): Promise<void>;
}

export function enrichInThread(options: LocalEnrichOptions): Enricher {
  return enrichInTurns(localEnricher(options));
}

/** Enriches in this thread, with two memories in turn, so that one can be written while the other is filled. */
export function enrichInTurns(
  enricher: BlockEnricher,
  prepare: (block: Uint8Array) => Promise<void> = async () => {},
): Enricher {
  const memories: Uint8Array[] = [];
  let turn = 0;
  return {
    together: 1,
    enrich: async (block, isFirst) => {
      await prepare(block);
      const slot = turn++ % 2;
      const done = enricher.enrich(block, isFirst, memories[slot]);
      memories[slot] = done.memory;
      return done;
    },
    close: async () => {},
  };
}

interface Slot {
  block?: Uint8Array<ArrayBuffer>;
  memory?: Uint8Array<ArrayBuffer>;
}

export function enrichThreads(options: LocalEnrichOptions, jobs: number): Enricher {
  const threads = Array.from(
    { length: jobs },
    () =>
      new WorkerCalls<EnrichCall, EnrichReply>(new URL('./enrich-worker.ts', import.meta.url), {
        workerData: options,
        ended: 'a thread that enriches ended',
      }),
  );
  const slots: readonly Slot[] = Array.from({ length: 2 * jobs }, () => ({}));
  let turn = 0;
  return {
    together: 2 * jobs - 1,
    enrich: (block, isFirst) => {
      const at = turn++ % slots.length;
      const slot = slots[at]!;
      const roomy =
        slot.block !== undefined && slot.block.buffer.byteLength >= block.length
          ? slot.block.buffer
          : new ArrayBuffer(2 * block.length);
      const own = new Uint8Array(roomy, 0, block.length);
      own.set(block);
      const spare = slot.memory;
      const call = { block: own, isFirst, spare };
      return threads[at % jobs]!.call(call, { transfer: spare === undefined ? [roomy] : [roomy, spare.buffer] }).then(
        (reply) => {
          slot.block = reply.block;
          slot.memory = reply.memory as Uint8Array<ArrayBuffer>;
          return reply;
        },
      );
    },
    close: async () => {
      await Promise.all(threads.map((thread) => thread.close()));
    },
  };
}
