import { type ImageBuffer, ImageError, type ImageKind } from '../../engine/image.ts';
import { WorkerCalls } from '../system/worker-calls.ts';

/** `checksums`: the bytes are the ones that were written. `everything`: as well what `verifyGeo` and `verifyEvidence` ask of what was written. */
export type ImageDepth = 'checksums' | 'everything';

export interface ImageCheck {
  readonly image: ImageBuffer;
  readonly kind: ImageKind;
  readonly depth: ImageDepth;
}

export interface CheckedImage {
  readonly faults: readonly string[];
  /** What takes the place of the image. */
  readonly instead?: SharedArrayBuffer;
}

/** A thread without work for this long ends. */
const IDLE_MS = 30_000;

const thread = new WorkerCalls<ImageCheck, CheckedImage>(new URL('./check-image-worker.ts', import.meta.url), {
  idleMs: IDLE_MS,
  ended: 'the thread that checks images ended',
});

/**
 * Checks an image in a thread of its own: reading every byte of a large one takes a second, in which the caller's thread has other work.
 * @param image shared memory is not copied
 * @returns the image to use: this one. Only where everything is asked of an evidence image of an earlier version, whose hash has no seed, the same evidence
 *   hashed again, so that nodes of both versions work together while they are upgraded
 * @throws ImageError naming the faults
 */
export async function checkImage<B extends ImageBuffer>(image: B, kind: ImageKind, depth: ImageDepth): Promise<B | SharedArrayBuffer> {
  const { faults, instead } = await thread.call({ image, kind, depth });
  if (faults.length > 0) throw new ImageError(faults.join('; '));
  return instead ?? image;
}
