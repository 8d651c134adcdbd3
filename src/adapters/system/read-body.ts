import { zstdDecompressSync } from 'node:zlib';
import { fault } from '../../core/texts/fault.ts';
import { packedKind } from './packed-kind.ts';
import { unpackGzip } from './unpack-gzip.ts';

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
