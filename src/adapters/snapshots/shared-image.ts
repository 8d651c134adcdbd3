import { statSync } from 'node:fs';
import { HEADER_BYTES, Image, type ImageBuffer, ImageError, type ImageKind } from '../../engine/image.ts';
import { mapFile, openShared as openSharedFile, type SharedFile, shareFile } from '../system/map-file.ts';

export type SharedImage = SharedArrayBuffer | SharedFile;

/** @throws ImageError, or the error of the file system when the file cannot be mapped */
export function openShared(image: SharedImage | ImageBuffer, kind: ImageKind): ImageBuffer {
  if (!('path' in image)) return image;
  const buffer = openSharedFile(image);
  new Image(buffer, kind);
  return buffer;
}

export function shareImageFile(path: string): SharedFile {
  requireHeader(path);
  return shareFile(path);
}

export function mapImage(path: string, kind: ImageKind): ArrayBuffer {
  requireHeader(path);
  const buffer = mapFile(path);
  new Image(buffer, kind);
  return buffer;
}

function requireHeader(path: string): void {
  const { size } = statSync(path);
  if (size < HEADER_BYTES) throw new ImageError(`${size} bytes`);
}
