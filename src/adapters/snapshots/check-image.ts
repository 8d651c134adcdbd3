import { type ImageBuffer, ImageError, type ImageKind } from '../../engine/image.ts';
import { WorkerCalls } from '../system/worker-calls.ts';

/** `checksums`: the bytes are the ones that were written. `everything`: as well what `verifyGeo` and `verifyEvidence` ask of what was written. */
export type ImageDepth = 'checksums' | 'everything';

export interface ImageCheck {
  readonly image: ImageBuffer;
  readonly kind: ImageKind;
  readonly depth: ImageDepth | 'digest';
  /** SHA-256 that the bytes must have, hexadecimal. Where they have another, nothing else of them is looked at. */
  readonly sha256?: string;
}

export interface CheckedImage {
  readonly faults: readonly string[];
  /** What takes the place of the image. */
  readonly instead?: SharedArrayBuffer;
  /** Where it was asked for. */
  readonly sha256?: string;
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
export async function checkImage<B extends ImageBuffer>(
  image: B,
  kind: ImageKind,
  depth: ImageDepth,
): Promise<B | SharedArrayBuffer> {
  const { faults, instead } = await thread.call({ image, kind, depth });
  if (faults.length > 0) throw new ImageError(faults.join('; '));
  return instead ?? image;
}

/**
 * Checks everything of an image that another node published, after its bytes were found to be the ones that node sealed.
 * @param sha256 as the pointer states it
 * @returns the image to use, as `checkImage` does
 * @throws ImageError naming the faults
 */
export async function checkPublished(
  image: SharedArrayBuffer,
  kind: ImageKind,
  sha256: string,
): Promise<SharedArrayBuffer> {
  const { faults, instead } = await thread.call({ image, kind, depth: 'everything', sha256 });
  if (faults.length > 0) throw new ImageError(faults.join('; '));
  return instead ?? image;
}

/** SHA-256 of an image's bytes, hexadecimal, made in the same thread. */
export async function digestOf(image: ImageBuffer, kind: ImageKind): Promise<string> {
  return (await thread.call({ image, kind, depth: 'digest' })).sha256!;
}
