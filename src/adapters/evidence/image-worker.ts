import { workerData } from 'node:worker_threads';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { compileEvidence, mergeEvidenceSince } from '../../service/compile/compile-evidence.ts';
import { shareImage } from '../snapshots/image-folder.ts';
import { lowerPriority, randomHashSeed, systemClock } from '../system/own-process.ts';
import { answerCalls } from '../system/worker-calls.ts';
import { writeDurably } from '../system/write-durably.ts';
import type { EvidenceWorkOptions, EvidenceWorkResult, ImageCall } from './image-thread.ts';
import { openHistory } from './open-history.ts';

const CATCH_UPS = 3;

type Compiled = NonNullable<Awaited<ReturnType<typeof mergeEvidenceSince>>>;

lowerPriority();
const { target, path } = workerData as EvidenceWorkOptions;
const store = await openHistory(target);
let last: Uint8Array | undefined;

answerCalls<ImageCall, EvidenceWorkResult | undefined>(async (call) => {
  switch (call.do) {
    case 'compile':
      return shared(await compile());
    case 'merge': {
      const made = await mergeEvidenceSince(store, openEvidence(call.base), systemClock.now());
      return made && shared(made);
    }
    case 'keep':
      await keep();
      return undefined;
    case 'close':
      await store.close();
      return undefined;
  }
});

async function compile(): Promise<Compiled> {
  let made: Compiled = await compileEvidence(store, systemClock.now(), randomHashSeed());
  for (let round = 0; round < CATCH_UPS; round++) {
    if ((await store.head()).sequence === made.meta.sequence) break;
    const newer = await mergeEvidenceSince(store, openEvidence(made.bytes.buffer), systemClock.now());
    if (newer === undefined) break;
    made = newer;
  }
  return made;
}

function shared({ bytes, meta, dropped }: Compiled): EvidenceWorkResult {
  last = bytes;
  return { image: shareImage(bytes), meta, dropped };
}

async function keep(): Promise<void> {
  const bytes = last;
  last = undefined;
  if (path !== undefined && bytes !== undefined) await writeDurably(path, bytes);
}
