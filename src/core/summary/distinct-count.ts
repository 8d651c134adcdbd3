import type { DistinctAddresses } from '../../contract/traffic-summary.ts';

const INDEX_BITS = 14;
const REGISTERS = 1 << INDEX_BITS;
/** The relative error of the estimate (Flajolet and others, "HyperLogLog", 2007). */
const STANDARD_ERROR = Math.round((1.04 / Math.sqrt(REGISTERS)) * 1e4) / 1e4;
const ALPHA = 0.7213 / (1 + 1.079 / REGISTERS);

/**
 * Counts distinct addresses in 16 KiB whatever their number: HyperLogLog with 2^14 registers. The same
 * addresses give the same count in any order.
 */
export class DistinctCount {
  readonly #registers = new Uint8Array(REGISTERS);

  add(family: 4 | 6, w0: number, w1: number, w2: number, w3: number): void {
    const first = mixed(mixed(mixed(mixed(family ^ w0) ^ w1) ^ w2) ^ w3);
    const second = mixed(mixed(first ^ w0 ^ 0x9e3779b1) ^ w3);
    const index = first >>> (32 - INDEX_BITS);
    const rank = Math.clz32(second) + 1;
    if (rank > this.#registers[index]!) this.#registers[index] = rank;
  }

  estimate(): DistinctAddresses {
    let sum = 0;
    let empty = 0;
    for (const rank of this.#registers) {
      sum += 2 ** -rank;
      if (rank === 0) empty++;
    }
    const raw = (ALPHA * REGISTERS * REGISTERS) / sum;
    const count = raw <= 2.5 * REGISTERS && empty > 0 ? REGISTERS * Math.log(REGISTERS / empty) : raw;
    return { count: Math.round(count), method: 'hyperloglog', standard_error: STANDARD_ERROR };
  }
}

/** MurmurHash3's finalizer, a bijection of 32 bits in which each bit depends on all. */
function mixed(word: number): number {
  let h = (word + 0x7f4a7c15) | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}
