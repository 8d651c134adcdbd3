/**
 * HalfSipHash-1-3 with 32 bits out over 32-bit words (Aumasson, Bernstein: SipHash; the half-width variant
 * that hash tables of Linux use). A keyed pseudo-random function for keys of any length. It is slower than
 * AddressHash and used for compiling only.
 * @param k0, k1 the key
 */
export function halfSipHash(k0: number, k1: number, words: ArrayLike<number>): number {
  let v0 = k0 | 0;
  let v1 = k1 | 0;
  let v2 = k0 ^ 0x6c796765;
  let v3 = k1 ^ 0x74656462;
  const { length } = words;
  for (let i = 0; i < length + 4; i++) {
    const word = i < length ? words[i]! | 0 : i === length ? length << 26 : 0;
    if (i === length + 1) v2 ^= 0xff;
    v3 ^= word;
    v0 = (v0 + v1) | 0;
    v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
    v0 = (v0 << 16) | (v0 >>> 16);
    v2 = (v2 + v3) | 0;
    v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
    v2 = (v2 << 16) | (v2 >>> 16);
    v0 ^= word;
  }
  return (v1 ^ v3) >>> 0;
}
