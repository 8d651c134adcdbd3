import { open } from 'node:fs/promises';
import { ALIGNMENT, HEADER_BYTES, Image, ImageError, type ImageKind } from '../../engine/image.ts';
import { fillFromFile } from '../system/fill-from-file.ts';

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
