import type { Transform } from 'node:stream';
import { createGunzip, createZstdDecompress, gunzipSync, type ZlibOptions, zstdDecompressSync } from 'node:zlib';
import { fault } from '../../core/texts/said.ts';

/**
 * Unpacks the content of a file or an answer if its first bytes are those of gzip or zstd.
 * @param maxBytes bound after unpacking, so that a small file cannot become a huge one
 */
export function readBody(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const packing = packedKind(bytes);
  if (packing === undefined) {
    if (bytes.length > maxBytes) throw fault('body is larger than {max} bytes', { max: maxBytes });
    return bytes;
  }
  const unpacked = packing === 'gzip' ? unpackGzip(bytes, maxBytes) : unpackZstd(bytes, maxBytes);
  if (unpacked === 'too_large') throw fault('body unpacks to more than {max} bytes', { max: maxBytes });
  if (unpacked === 'damaged') throw packing === 'gzip' ? fault('body is damaged gzip') : fault('body is damaged zstd');
  return unpacked;
}

function unpackZstd(bytes: Uint8Array, maxBytes: number): Uint8Array | 'too_large' | 'damaged' {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'damaged';
  }
}

/**
 * Unpacks a gzip body synchronously, for threads that answer no requests. It never allocates more than
 * `maxBytes`.
 */
export function unpackGzip(bytes: Uint8Array, maxBytes: number): Uint8Array | 'too_large' | 'damaged' {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'damaged';
  }
}

type PackedKind = 'gzip' | 'zstd';

const MAGIC: Readonly<Record<PackedKind, readonly number[]>> = { gzip: [0x1f, 0x8b], zstd: [0x28, 0xb5, 0x2f, 0xfd] };

export const PACKED_BYTES = MAGIC.zstd.length;

export const packedKind = (head: Uint8Array): PackedKind | undefined =>
  (['gzip', 'zstd'] as const).find((packing) => MAGIC[packing].every((byte, i) => head[i] === byte));

export const unpackWith = (packing: PackedKind, { chunkSize }: Pick<ZlibOptions, 'chunkSize'> = {}): Transform =>
  packing === 'gzip'
    ? createGunzip(chunkSize === undefined ? {} : { chunkSize })
    : createZstdDecompress(chunkSize === undefined ? {} : { chunkSize });
