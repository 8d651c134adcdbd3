import type { Address, Prefix } from '../../src/core/ip/address.ts';

export const randomAddress4 = (words: () => number): Address => ({ family: 4, w0: words(), w1: 0, w2: 0, w3: 0 });

/** The first address of the prefix and then random ones in it, `many` in all, or all where it has no more. */
export function* addressesIn(prefix: Prefix, many: number, words: () => number): Generator<Address> {
  const free = (prefix.family === 4 ? 32 : 128) - prefix.bits;
  yield prefix;
  if (free === 0) return;
  if (free < 31 && 2 ** free <= many) {
    for (let i = 1; i < 2 ** free; i++) yield withHost(prefix, [0, 0, 0, i]);
    return;
  }
  for (let i = 1; i < many; i++) yield withHost(prefix, [words(), words(), words(), words()]);
}

/** The prefix with the free bits of the last words. */
function withHost({ family, bits, w0, w1, w2, w3 }: Prefix, host: readonly [number, number, number, number]): Address {
  if (family === 4) return { family, w0: (w0 | (host[3] & free32(bits))) >>> 0, w1: 0, w2: 0, w3: 0 };
  const fill = (word: number, index: 0 | 1 | 2 | 3): number => (word | (host[index] & free32(bits - 32 * index))) >>> 0;
  return { family, w0: fill(w0, 0), w1: fill(w1, 1), w2: fill(w2, 2), w3: fill(w3, 3) };
}

/** Ones where a word is free, when its first `bits` bits are not. */
const free32 = (bits: number): number => (bits >= 32 ? 0 : bits <= 0 ? 0xffff_ffff : (0xffff_ffff >>> bits) >>> 0);
