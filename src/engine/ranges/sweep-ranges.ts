import { RangeBuilder } from './range-builder.ts';
import { emptyRanges, type RangeSet } from './range-set.ts';

/**
 * Overlays partitions of one family and calls `decide` once for every distinct tuple of record numbers. The
 * small partitions are combined first and then walked against the largest, so that its many boundaries are
 * compared with one other only.
 * @param decide record numbers, one a partition in the order given → merged record number. The array is
 * reused between calls.
 */
export function sweepRanges(family: 4 | 6, sets: readonly RangeSet[], decide: (ids: Uint32Array) => number): RangeSet {
  const ids = new Uint32Array(sets.length);
  if (sets.length === 0) return { ...emptyRanges(family), ids: Uint32Array.of(decide(ids)) };
  const largest = sets.reduce((best, set, i) => (set.count > sets[best]!.count ? i : best), 0);
  /** Distinct tuples of numbers of the other partitions; 0 means nothing. */
  const tuples = [new Uint32Array(sets.length - 1)];
  const others = sweepRanges(family, sets.toSpliced(largest, 1), (some) =>
    some.every((id) => id === 0) ? 0 : tuples.push(some.slice()) - 1,
  );
  return overlay(family, sets[largest]!, others, (id, tuple) => {
    const rest = tuples[tuple]!;
    for (let i = 0; i < rest.length; i++) ids[i < largest ? i : i + 1] = rest[i]!;
    ids[largest] = id;
    return decide(ids);
  });
}

function overlay(
  family: 4 | 6,
  large: RangeSet,
  small: RangeSet,
  decide: (id: number, over: number) => number,
): RangeSet {
  const out = new RangeBuilder(family, large.count + small.count + 16);
  const merged = new PairMemo(decide);
  let at = 0;
  for (let j = 0; j < small.count; j++) {
    const over = small.ids[j]!;
    if (j > 0) {
      while (at + 1 < large.count && compare(large, at + 1, small, j) <= 0) at++;
      out.pushStart(small, j, merged.get(large.ids[at]!, over));
    } else out.pushStart(large, 0, merged.get(large.ids[0]!, over));
    const end = j + 1 < small.count ? firstFrom(large, at + 1, small, j + 1) : large.count;
    out.pushStretch(large, at + 1, end, (id) => merged.get(id, over));
    at = end - 1;
  }
  return out.finish();
}

function firstFrom(set: RangeSet, from: number, other: RangeSet, j: number): number {
  let low = from;
  let step = 1;
  while (low + step <= set.count && compare(set, low + step - 1, other, j) < 0) {
    low += step;
    step *= 2;
  }
  let high = Math.min(low + step - 1, set.count);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compare(set, middle, other, j) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(left: RangeSet, a: number, right: RangeSet, b: number): number {
  const width = left.family === 4 ? 1 : 4;
  for (let i = 0; i < width; i++) {
    const difference = left.starts[a * width + i]! - right.starts[b * width + i]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Memo of merged numbers by pair. Nearly all pairs have 0 as one number and use a table of their own. */
class PairMemo {
  readonly #decide: (id: number, over: number) => number;
  #alone = new Uint32Array(1 << 16);
  readonly #pairs = new Map<number, number>();

  constructor(decide: (id: number, over: number) => number) {
    this.#decide = decide;
  }

  get(id: number, over: number): number {
    if (over === 0) {
      const known = id < this.#alone.length ? this.#alone[id]! : 0;
      return known !== 0 ? known - 1 : this.#single(id);
    }
    const key = over * 0x1_0000_0000 + id;
    const known = this.#pairs.get(key);
    if (known !== undefined) return known;
    const merged = this.#decide(id, over);
    this.#pairs.set(key, merged);
    return merged;
  }

  #single(id: number): number {
    if (id >= this.#alone.length) {
      const larger = new Uint32Array(Math.max(2 * this.#alone.length, id + 1));
      larger.set(this.#alone);
      this.#alone = larger;
    }
    const merged = this.#decide(id, 0);
    this.#alone[id] = merged + 1;
    return merged;
  }
}
