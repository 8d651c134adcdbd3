import { fault } from '../../core/texts/fault.ts';
import { unpackGzip } from '../system/unpack-gzip.ts';

/** The body of a list. @param maxBytes bound after unpacking, so that a small file cannot become a huge one */
export function readBody(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  if (!isGzip) {
    if (bytes.length > maxBytes) throw fault('body is larger than {max} bytes', { max: maxBytes });
    return bytes;
  }
  const unpacked = unpackGzip(bytes, maxBytes);
  if (unpacked === 'too_large') throw fault('body unpacks to more than {max} bytes', { max: maxBytes });
  if (unpacked === 'damaged') throw fault('body is damaged gzip');
  return unpacked;
}
