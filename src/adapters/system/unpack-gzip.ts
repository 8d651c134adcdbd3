import { gunzipSync } from 'node:zlib';

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
