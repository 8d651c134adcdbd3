import { type ImageBuffer, ImageError, type ImageKind } from '../../engine/image.ts';
import { WorkerCalls } from '../system/worker-calls.ts';

/** `checksums`: the bytes are the ones that were written. `everything`: as well what `verifyGeo` and `verifyEvidence` ask of what was written. */
export type ImageDepth = 'checksums' | 'everything';

export interface ImageCheck {
  readonly image: ImageBuffer;
  readonly kind: ImageKind;
  readonly depth: ImageDepth;
}

/** A thread without work for this long ends. */
const IDLE_MS = 30_000;

const thread = new WorkerCalls<ImageCheck, readonly string[]>(new URL('./check-image-worker.ts', import.meta.url), {
  idleMs: IDLE_MS,
  ended: 'the thread that checks images ended',
});

/**
 * Checks an image in a thread of its own: reading every byte of a large one takes a second, in which the caller's thread has other work.
 * @param image shared memory is not copied
 * @throws ImageError naming the faults
 */
export async function checkImage(image: ImageBuffer, kind: ImageKind, depth: ImageDepth): Promise<void> {
  const faults = await thread.call({ image, kind, depth });
  if (faults.length > 0) throw new ImageError(faults.join('; '));
}
