import { gunzipSync } from 'node:zlib';

/**
 * Unpacks a gzip body, synchronously: for threads that answer no requests.
 * @param maxBytes bound after unpacking, so that a small body cannot become a huge one; no more than this is ever allocated for it
 * @returns why it cannot be taken, or the bytes
 */
export function unpackGzip(bytes: Uint8Array, maxBytes: number): Uint8Array | 'too_large' | 'damaged' {
  try {
    return gunzipSync(bytes, { maxOutputLength: maxBytes });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'damaged';
  }
}
