import type { Address } from '../../core/ip/address.ts';

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
