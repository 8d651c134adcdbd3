/** Gives the memory of an array back at once, which the garbage collector lets wait. The array is empty afterwards; one that shares its memory stays. */
export function release({ buffer, byteLength, byteOffset }: Uint8Array | Uint16Array | Uint32Array): void {
  // Behind the array there may be memory that was reserved for it; before it there are only the rooms of others.
  if (buffer instanceof ArrayBuffer && byteOffset === 0 && byteLength > POOL_BYTES && !buffer.detached)
    buffer.transfer(0);
}

/** Node cuts small buffers out of blocks of this size. */
const POOL_BYTES = 64 * 1024;
