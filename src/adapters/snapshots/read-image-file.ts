import { open } from 'node:fs/promises';
import { ALIGNMENT, HEADER_BYTES, Image, ImageError, type ImageKind } from '../../engine/image.ts';
import { readInto } from '../system/read-into.ts';

/**
 * Reads one compiled file whole into memory that threads can share, and checks its container. `checkImage` compares the content with its checksums.
 * @throws ImageError when it is cut off or not an image of the kind; the error of the file system when it cannot be read
 */
export async function readImageFile(path: string, kind: ImageKind): Promise<SharedArrayBuffer> {
  const handle = await open(path, 'r');
  try {
    const { size } = await handle.stat();
    if (size < HEADER_BYTES || size % ALIGNMENT !== 0) throw new ImageError(`${size} bytes`);
    const buffer = new SharedArrayBuffer(size);
    const end = await readInto(handle, new Uint8Array(buffer), 0);
    if (end < size) throw new ImageError(`it ends at ${end} of ${size} bytes`);
    new Image(buffer, kind);
    return buffer;
  } finally {
    await handle.close();
  }
}
