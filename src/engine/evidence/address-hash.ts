import type { Address } from '../../core/ip/address.ts';

/** One seed word for each half of the four address words, and one for the rest of a key. */
export const SEED_WORDS = 9;

/**
 * A hash of addresses takes this key: SEED_WORDS random numbers of 32 bits. The maker of an image supplies
 * it, because this ring has no randomness.
 */
export type HashSeed = readonly number[];

export const isHashSeed = (value: unknown): value is HashSeed =>
  Array.isArray(value) &&
  value.length === SEED_WORDS &&
  value.every((word) => Number.isInteger(word) && word >= 0 && word <= 0xffff_ffff);

/**
 * Derives the next seed for a table with long buckets. Each word passes through a bijection (MurmurHash3's
 * finalizer), so a uniform seed stays uniform and equal input gives equal bytes.
 */
export const nextSeed = (seed: HashSeed): HashSeed =>
  seed.map((word, i) => {
    let h = (word + Math.imul(i + 1, 0x9e3779b1)) | 0;
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return (h ^ (h >>> 16)) >>> 0;
  });

/**
 * Seeded hash of addresses: the sum of 16-bit halves, each times a secret word, modulo 2^32 (vector
 * multiply-shift: Dietzfelbinger 1996; Thorup, "High Speed Hashing for Integers and Strings", 2015). Only the
 * top bits of a result are good: callers shift right.
 *
 * Publishers choose addresses, so the cost must hold for the worst list. For two different keys that were
 * chosen without the seed, the top k bits agree with a chance of at most 2 / 2^min(k, 17) over seeds. Pairs
 * that share a bucket therefore grow with the number of keys, not with its square. The products are
 * independent, which makes this faster than an unseeded mix.
 */
export class AddressHash {
  // Signed, so that the engine keeps them as small integers.
  readonly #odd: number;
  readonly #k0: number;
  readonly #k1: number;
  readonly #k2: number;
  readonly #k3: number;
  readonly #k4: number;
  readonly #k5: number;
  readonly #k6: number;
  readonly #k7: number;
  readonly #k8: number;

  constructor(seed: HashSeed) {
    this.#odd = seed[0]! | 1;
    this.#k0 = seed[0]! | 0;
    this.#k1 = seed[1]! | 0;
    this.#k2 = seed[2]! | 0;
    this.#k3 = seed[3]! | 0;
    this.#k4 = seed[4]! | 0;
    this.#k5 = seed[5]! | 0;
    this.#k6 = seed[6]! | 0;
    this.#k7 = seed[7]! | 0;
    this.#k8 = seed[8]! | 0;
  }

  /**
   * Hashes an IPv4 address. One word needs no halves: an odd factor keeps the chance of a collision at 2 /
   * 2^k for all k.
   */
  ipv4(w0: number): number {
    return Math.imul(w0, this.#odd);
  }

  net6(w0: number, w1: number): number {
    return (
      Math.imul(w0 & 0xffff, this.#k0) +
      Math.imul(w0 >>> 16, this.#k1) +
      Math.imul(w1 & 0xffff, this.#k2) +
      Math.imul(w1 >>> 16, this.#k3)
    );
  }

  ipv6(w0: number, w1: number, w2: number, w3: number): number {
    const low =
      Math.imul(w2 & 0xffff, this.#k4) +
      Math.imul(w2 >>> 16, this.#k5) +
      Math.imul(w3 & 0xffff, this.#k6) +
      Math.imul(w3 >>> 16, this.#k7);
    return (this.net6(w0, w1) | 0) + (low | 0);
  }

  prefix(w0: number, w1: number, w2: number, w3: number, tag: number): number {
    return (this.ipv6(w0, w1, w2, w3) | 0) + Math.imul(tag, this.#k8);
  }
}

const TOP = 0xffff_ffff;
const LAST: Readonly<Record<4 | 6, Address>> = {
  4: { family: 4, w0: TOP, w1: 0, w2: 0, w3: 0 },
  6: { family: 6, w0: TOP, w1: TOP, w2: TOP, w3: TOP },
};

export const lastOf = (family: 4 | 6): Address => LAST[family];

export const addressIn = (family: 4 | 6, words: Uint32Array, at: number): Address =>
  family === 4
    ? { family, w0: words[at]!, w1: 0, w2: 0, w3: 0 }
    : { family, w0: words[at]!, w1: words[at + 1]!, w2: words[at + 2]!, w3: words[at + 3]! };
