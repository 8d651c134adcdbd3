import type { Address, Prefix } from './address.ts';
import { compareAddresses, lastAddress } from './prefix.ts';

export interface AddressRange {
  readonly first: Address;
  readonly last: Address;
}

/**
 * Holds the addresses of any number of prefixes as disjoint, ascending ranges, and tells whether a prefix
 * shares an address with them.
 */
export class AddressSet {
  readonly ranges: readonly AddressRange[];

  constructor(prefixes: Iterable<Prefix>) {
    const sorted = [...prefixes]
      .map((prefix) => ({ first: prefix, last: lastAddress(prefix) }))
      .sort((a, b) => compareAddresses(a.first, b.first));
    const ranges: AddressRange[] = [];
    for (const range of sorted) {
      const before = ranges.at(-1);
      // Prefixes contain one another or are disjoint, so a range that begins inside the previous one lies in
      // it.
      if (before === undefined || compareAddresses(before.last, range.first) < 0) ranges.push(range);
    }
    this.ranges = ranges;
  }

  overlaps(prefix: Prefix): boolean {
    return overlaps(this.ranges, prefix);
  }
}

export function overlaps(ranges: readonly AddressRange[], prefix: Prefix): boolean {
  const last = lastAddress(prefix);
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareAddresses(ranges[middle]!.first, last) <= 0) low = middle + 1;
    else high = middle;
  }
  const found = ranges[low - 1];
  return found !== undefined && compareAddresses(found.last, prefix) >= 0;
}

export function byFamily(prefixes: Iterable<Prefix>): Readonly<Record<4 | 6, AddressSet>> {
  const all = [...prefixes];
  return {
    4: new AddressSet(all.filter(({ family }) => family === 4)),
    6: new AddressSet(all.filter(({ family }) => family === 6)),
  };
}
