import { unpackGzip } from '../system/unpack-gzip.ts';

/** The body of a list. @param maxBytes bound after unpacking, so that a small file cannot become a huge one */
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
