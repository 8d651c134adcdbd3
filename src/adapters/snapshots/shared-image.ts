import { statSync } from 'node:fs';
import { HEADER_BYTES, Image, type ImageBuffer, ImageError, type ImageKind } from '../../engine/image.ts';
import { mapFile } from '../system/map-file.ts';

/** A compiled image that threads can share: memory, or a file that each of them maps. */
export type SharedImage = SharedArrayBuffer | { readonly path: string };

/** The bytes of an image, for this thread. @throws ImageError, or the error of the file system, when the file cannot be mapped */
export const openShared = (image: SharedImage | ImageBuffer, kind: ImageKind): ImageBuffer =>
  'path' in image ? mapImage(image.path, kind) : image;

/**
 * Maps one compiled file and checks its container. Whether the content is what was written is for `checkImage`.
 * @throws ImageError when it is cut off or not an image of the kind; the error of the file system when it cannot be read
 */
export function mapImage(path: string, kind: ImageKind): ArrayBuffer {
  if (statSync(path).size < HEADER_BYTES) throw new ImageError(`${statSync(path).size} bytes`);
  const buffer = mapFile(path);
  new Image(buffer, kind);
  return buffer;
}
