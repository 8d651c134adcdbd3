/**
 * Frees the memory of an array at once instead of at the next garbage collection. The array is empty
 * afterwards; an array that shares its memory is left alone.
 */
export function release({ buffer, byteLength, byteOffset }: Uint8Array | Uint16Array | Uint32Array): void {
  // Memory after the array may be reserved for it; memory before it belongs to others.
  if (buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength > POOL_BYTES && !buffer.detached)
    buffer.transfer(0);
}

/** Node cuts small buffers out of blocks of this size. */
const POOL_BYTES = 64 * 1024;
