import type { FileHandle } from 'node:fs/promises';

/** Files are read in pieces, so that other work of the thread, such as checksums, can run in between. */
const PIECE_BYTES = 4 * 1024 * 1024;

/** @param each called with every piece, in order @returns bytes read */
export async function fillFromFile(
  file: FileHandle,
  into: Uint8Array,
  position: number,
  each: (piece: Uint8Array) => void = () => {},
): Promise<number> {
  for (let at = 0; at < into.length; ) {
    const { bytesRead } = await file.read(into, at, Math.min(PIECE_BYTES, into.length - at), position + at);
    if (bytesRead === 0) return at;
    each(into.subarray(at, at + bytesRead));
    at += bytesRead;
  }
  return into.length;
}
