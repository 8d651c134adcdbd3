import { type ImageBuffer, ImageError, type ImageKind } from '../../engine/image.ts';
import { WorkerCalls } from '../system/worker-calls.ts';
import type { SharedImage } from './published-images.ts';

/**
 * `checksums`: the bytes are those that were written. `everything`: also the checks of `verifyGeo` and
 * `verifyEvidence`.
 */
export type ImageCheckLevel = 'checksums' | 'everything';

export interface ImageCheck {
  readonly image: ImageBuffer | SharedImage;
  readonly kind: ImageKind;
  readonly depth: ImageCheckLevel | 'digest';
  /** The expected SHA-256, hexadecimal. On a mismatch nothing else is checked. */
  readonly sha256?: string;
}

export interface CheckedImage {
  readonly faults: readonly string[];
  readonly sha256?: string;
}

const IDLE_MS = 1000;

const thread = new WorkerCalls<ImageCheck, CheckedImage>(new URL('./check-image-worker.ts', import.meta.url), {
  idleMs: IDLE_MS,
  ended: 'the thread that checks images ended',
});

export async function checkImage(
  image: ImageBuffer | SharedImage,
  kind: ImageKind,
  depth: ImageCheckLevel,
  sha256?: string,
): Promise<void> {
  const { faults } = await thread.call({ image, kind, depth, ...(sha256 !== undefined && { sha256 }) });
  if (faults.length > 0) throw new ImageError(faults.join('; '));
}

export async function digestOf(image: ImageBuffer | SharedImage, kind: ImageKind): Promise<string> {
  return (await thread.call({ image, kind, depth: 'digest' })).sha256!;
}
