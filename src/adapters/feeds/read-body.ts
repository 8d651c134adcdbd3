import { zstdDecompressSync } from 'node:zlib';
import { fault } from '../../core/texts/fault.ts';
import { unpackGzip } from '../system/unpack-gzip.ts';

/**
 * The body of a list, unpacked where its first bytes are those of gzip or zstd.
 * @param maxBytes bound after unpacking, so that a small file cannot become a huge one
 */
export function readBody(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const isZstd = bytes[0] === 0x28 && bytes[1] === 0xb5 && bytes[2] === 0x2f && bytes[3] === 0xfd;
  if (!isGzip && !isZstd) {
    if (bytes.length > maxBytes) throw fault('body is larger than {max} bytes', { max: maxBytes });
    return bytes;
  }
  const unpacked = isGzip ? unpackGzip(bytes, maxBytes) : unpackZstd(bytes, maxBytes);
  if (unpacked === 'too_large') throw fault('body unpacks to more than {max} bytes', { max: maxBytes });
  if (unpacked === 'damaged') throw isGzip ? fault('body is damaged gzip') : fault('body is damaged zstd');
  return unpacked;
}

function unpackZstd(bytes: Uint8Array, maxBytes: number): Uint8Array | 'too_large' | 'damaged' {
  try {
    return zstdDecompressSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'damaged';
  }
}
