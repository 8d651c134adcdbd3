import { type RangeSet, START_WORDS } from '../../src/engine/ranges/range-set.ts';

/** The slow, obvious lookup returns the record number that holds at an address. */
export function rangeAt(set: RangeSet, words: ArrayLike<number>): number {
  const width = START_WORDS[set.family];
  let low = 0;
  let high = set.count - 1;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    let order = 0;
    for (let i = 0; i < width && order === 0; i++) order = set.starts[middle * width + i]! - words[i]!;
    if (order <= 0) low = middle;
    else high = middle - 1;
  }
  return set.ids[low]!;
}
