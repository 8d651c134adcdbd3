import { unpackGzip } from '../system/unpack-gzip.ts';

/**
 * The body of a list, decompressed when it is gzip. @param maxBytes bound after decompression, so that a small file cannot become a huge one
 * @throws Error when it is larger or damaged
 */
export function readBody(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isGzip) {
    if (bytes.length > maxBytes) throw new Error(`body is larger than ${maxBytes} bytes`);
    return bytes;
  }
  const unpacked = unpackGzip(bytes, maxBytes);
  if (unpacked === 'too_large') throw new Error(`body unpacks to more than ${maxBytes} bytes`);
  if (unpacked === 'damaged') throw new Error('body is damaged gzip');
  return unpacked;
}
