/** Entry of the thread that compiles everything in the evidence store: answers with one MadeEvidence in shared memory, then writes the file and ends. */
import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '../../adapters/system/clock.ts';
import { writeDurably } from '../../adapters/system/durable-file.ts';
import { openEvidence } from '../../engine/evidence/evidence-image.ts';
import { compileEvidence, mergeEvidenceSince } from '../../service/compile-evidence.ts';
import { shareImage } from './evidence-file.ts';
import { type EvidenceOrder, type MadeEvidence, openHistory } from './open-history.ts';

/** What was accepted while everything was read is merged in, so that an image that took long is not behind those merged meanwhile; this often at most. */
const CATCH_UPS = 3;

const { target, path } = workerData as EvidenceOrder;
const store = await openHistory(target);
try {
  const { bytes, meta } = await compiled();
  parentPort?.postMessage({ image: shareImage(bytes), meta } satisfies MadeEvidence);
  if (path !== undefined) await writeDurably(path, bytes);
} finally {
  await store.close();
}

async function compiled(): Promise<NonNullable<Awaited<ReturnType<typeof mergeEvidenceSince>>>> {
  let made: NonNullable<Awaited<ReturnType<typeof mergeEvidenceSince>>> = await compileEvidence(store, systemClock.now());
  for (let turn = 0; turn < CATCH_UPS; turn++) {
    if ((await store.head()).sequence === made.meta.sequence) break;
    const newer = await mergeEvidenceSince(store, openEvidence(made.bytes.buffer), systemClock.now());
    if (newer === undefined) break;
    made = newer;
  }
  return made;
}
