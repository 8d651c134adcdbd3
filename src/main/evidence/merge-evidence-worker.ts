/** Entry of the thread that brings evidence images up to the newest batch. It stays between calls: starting it takes longer than merging a small batch. */
import { workerData } from 'node:worker_threads';
import { systemClock } from '../../adapters/system/clock.ts';
import { writeDurably } from '../../adapters/system/durable-file.ts';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { mergeEvidenceSince } from '../../service/compile-evidence.ts';
import { shareImage } from './evidence-file.ts';
import { type EvidenceOrder, type MadeEvidence, type MergeCall, openHistory } from './open-history.ts';

const { target, path } = workerData as EvidenceOrder;
const store = await openHistory(target);
let last: Uint8Array | undefined;

answerCalls<MergeCall, MadeEvidence | undefined>(async (call) => {
  if (call.do === 'keep') {
    const bytes = last;
    last = undefined;
    if (path !== undefined && bytes !== undefined) await writeDurably(path, bytes);
    return undefined;
  }
  const made = await mergeEvidenceSince(store, openEvidence(call.base), systemClock.now());
  if (made === undefined) return undefined;
  last = made.bytes;
  return { image: shareImage(made.bytes), meta: made.meta };
});
