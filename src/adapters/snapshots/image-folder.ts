import { open } from 'node:fs/promises';
import { unixMs } from '../../core/units.ts';
import { emptyEvidence } from '../../engine/evidence/empty-evidence.ts';
import { NO_POSITION } from '../../engine/evidence/evidence-delta.ts';
import { ALIGNMENT, HEADER_BYTES, Image, ImageError, type ImageKind } from '../../engine/image.ts';
import { FileFolder, fillFromFile } from '../system/files.ts';
import { randomHashSeed } from '../system/own-process.ts';
import { checkImage } from './check-image.ts';
import type { ImagePlace } from './published-images.ts';

export class ImageFolder extends FileFolder implements ImagePlace {
  image(name: string, kind: ImageKind): Promise<SharedArrayBuffer> {
    return readImageFile(this.file(name), kind);
  }

  /** A file may have been damaged since; writing it again repairs any damage. */
  async holds(name: string, kind: ImageKind): Promise<boolean> {
    try {
      await checkImage(await this.image(name, kind), kind, 'checksums');
      return true;
    } catch {
      return false;
    }
  }
}

export async function readImageFile(path: string, kind: ImageKind): Promise<SharedArrayBuffer> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    if (size < HEADER_BYTES || size % ALIGNMENT !== 0) throw new ImageError(`${size} bytes`);
    const buffer = new SharedArrayBuffer(size);
    const end = await fillFromFile(handle, new Uint8Array(buffer), 0);
    if (end < size) throw new ImageError(`it ends at ${end} of ${size} bytes`);
    new Image(buffer, kind);
    return buffer;
  } finally {
    await handle.close();
  }
}

export function shareImage(bytes: Uint8Array): SharedArrayBuffer {
  const shared = new SharedArrayBuffer(bytes.byteLength);
  new Uint8Array(shared).set(bytes);
  return shared;
}

export function noEvidence(): SharedArrayBuffer {
  const { image } = emptyEvidence({ dataVersion: 'none', builtAt: unixMs(0), ...NO_POSITION }, randomHashSeed());
  return shareImage(new Uint8Array(image.buffer));
}
