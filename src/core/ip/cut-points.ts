import type { Address, Prefix } from './address.ts';
import { addressAfter, compareAddresses, lastAddress } from './prefix.ts';

/** Addresses between two cut points lie in the same prefixes. */
export class CutPoints {
  readonly #cuts: Readonly<Record<4 | 6, readonly Address[]>>;

  constructor(prefixes: Iterable<Prefix>) {
    const found: Record<4 | 6, Address[]> = { 4: [], 6: [] };
    for (const prefix of prefixes) {
      const { family, w0, w1, w2, w3 } = prefix;
      found[family].push({ family, w0, w1, w2, w3 });
      const after = addressAfter(lastAddress(prefix));
      if (after !== undefined) found[family].push(after);
    }
    this.#cuts = { 4: sorted(found[4]), 6: sorted(found[6]) };
  }

  /** Returns the last address before the next cut point; undefined where none follows. */
  lastAlike(address: Address): Address | undefined {
    const cuts = this.#cuts[address.family];
    let from = 0;
    let to = cuts.length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compareAddresses(cuts[middle]!, address) <= 0) from = middle + 1;
      else to = middle;
    }
    const next = cuts[from];
    return next === undefined ? undefined : addressBefore(next);
  }
}

const sorted = (addresses: Address[]): readonly Address[] =>
  addresses.sort(compareAddresses).filter((address, i, all) => i === 0 || compareAddresses(all[i - 1]!, address) !== 0);

const TOP = 0xffff_ffff;

/** @param address not the first of its family */
export function addressBefore({ family, w0, w1, w2, w3 }: Address): Address {
  if (family === 4) return { family, w0: w0 - 1, w1, w2, w3 };
  if (w3 !== 0) return { family, w0, w1, w2, w3: w3 - 1 };
  if (w2 !== 0) return { family, w0, w1, w2: w2 - 1, w3: TOP };
  if (w1 !== 0) return { family, w0, w1: w1 - 1, w2: TOP, w3: TOP };
  return { family, w0: w0 - 1, w1: TOP, w2: TOP, w3: TOP };
}
