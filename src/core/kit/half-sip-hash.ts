/**
 * HalfSipHash-2-4 with 64 bits of output over 32-bit words (Aumasson, Bernstein: SipHash; half-width variant
 * of the reference implementation): a keyed pseudo-random function for keys of any length. Whoever does not
 * know the key cannot aim two inputs at one place of a table.
 *
 * An instance keeps the last result in `h1` and `h2`, so that a lookup allocates nothing.
 */
export class HalfSipHash {
  h1 = 0;
  h2 = 0;
  readonly #k0: number;
  readonly #k1: number;

  constructor(k0: number, k1: number) {
    this.#k0 = k0 | 0;
    this.#k1 = k1 | 0;
  }

  update(words: ArrayLike<number>, length = words.length): void {
    let v0 = this.#k0;
    let v1 = this.#k1 ^ 0xee;
    let v2 = this.#k0 ^ 0x6c796765;
    let v3 = this.#k1 ^ 0x74656462;
    // The words, one with the number of bytes, and twice two pairs of rounds that end the halves of the result.
    const last = length + 5;
    for (let i = 0; i < last; i++) {
      const word = i < length ? words[i]! | 0 : i === length ? length << 26 : 0;
      if (i === length + 1) v2 ^= 0xee;
      if (i === length + 3) {
        this.h1 = v1 ^ v3;
        v1 ^= 0xdd;
      }
      v3 ^= word;
      for (let round = 0; round < 2; round++) {
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
      }
      v0 ^= word;
    }
    this.h2 = v1 ^ v3;
  }
}
