/**
 * 64-bit checksum of bytes, read as little-endian 32-bit words (the last one padded with zeros): four lanes
 * in the manner of xxHash32, joined into two different 32-bit sums. Finds damage; it does not defend against
 * an author of false files.
 */
export interface Checksum {
  readonly low: number;
  readonly high: number;
}

const P1 = 0x9e3779b1;
const P2 = 0x85ebca77;
const P3 = 0xc2b2ae3d;

const mix = (sum: number): number => {
  let h = sum;
  h = Math.imul(h ^ (h >>> 15), P2);
  h = Math.imul(h ^ (h >>> 13), P3);
  return (h ^ (h >>> 16)) >>> 0;
};

/** @param bytes must start at a multiple of 4 in its buffer */
export function checksum(bytes: Uint8Array): Checksum {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
  const whole = words.length & ~3;
  let a = P1;
  let b = P2;
  let c = P3;
  let d = 0x27d4eb2f;
  for (let i = 0; i < whole; i += 4) {
    a = Math.imul(a + Math.imul(words[i]!, P2), P1);
    a ^= a >>> 17;
    b = Math.imul(b + Math.imul(words[i + 1]!, P2), P1);
    b ^= b >>> 17;
    c = Math.imul(c + Math.imul(words[i + 2]!, P2), P1);
    c ^= c >>> 17;
    d = Math.imul(d + Math.imul(words[i + 3]!, P2), P1);
    d ^= d >>> 17;
  }
  for (let i = whole; i < words.length; i++) a = Math.imul((a ^ words[i]!) + P3, P1);
  let tail = bytes.byteLength & 3;
  for (let i = words.length * 4; i < bytes.byteLength; i++) tail = (tail << 8) | bytes[i]!;
  b = Math.imul((b ^ tail) + P3, P1);
  const length = bytes.byteLength >>> 0;
  const low = mix(a ^ Math.imul(b, P2) ^ Math.imul(c, P3) ^ (d + length));
  const high = mix(Math.imul(a, P3) ^ (b + length) ^ Math.imul(c, P1) ^ Math.imul(d, P2) ^ low);
  return { low, high };
}
