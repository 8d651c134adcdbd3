import type { RangeSet4, RangeSet6 } from '../engine/ranges.ts';

export type RangeSet = RangeSet4 | RangeSet6;

/** Words in an address of the family. */
const WIDTH = { 4: 1, 6: 4 } as const;

/**
 * Grows a partition from its start to its end. Ranges are given in address order, each with only its start; equal neighbours merge.
 * The first range starts at 0 by itself. Memory is typed arrays that double.
 */
export class RangeBuilder {
  readonly family: 4 | 6;
  #starts: Uint32Array<ArrayBuffer>;
  #ids: Uint32Array<ArrayBuffer>;
  #count = 1;

  constructor(family: 4 | 6, expected = 1024) {
    this.family = family;
    this.#starts = new Uint32Array(expected * WIDTH[family]);
    this.#ids = new Uint32Array(expected);
  }

  /** IPv4: from `start` on the record is `id`. Starting again where the last range started replaces it. */
  push4(start: number, id: number): void {
    let at = this.#count - 1;
    if (this.#ids[at] === id) return;
    if (this.#starts[at] !== start) {
      if (++at === this.#ids.length) this.#grow();
      this.#count = at + 1;
      this.#starts[at] = start;
    } else if (at > 0 && this.#ids[at - 1] === id) {
      this.#count = at;
      return;
    }
    this.#ids[at] = id;
  }

  /** IPv6: the same with a start of four words. */
  push6(w0: number, w1: number, w2: number, w3: number, id: number): void {
    let at = this.#count - 1;
    const o = 4 * at;
    const starts = this.#starts;
    if (this.#ids[at] === id) return;
    if (starts[o] !== w0 || starts[o + 1] !== w1 || starts[o + 2] !== w2 || starts[o + 3] !== w3) {
      if (++at === this.#ids.length) this.#grow();
      this.#count = at + 1;
      const to = this.#starts;
      to[4 * at] = w0;
      to[4 * at + 1] = w1;
      to[4 * at + 2] = w2;
      to[4 * at + 3] = w3;
    } else if (at > 0 && this.#ids[at - 1] === id) {
      this.#count = at;
      return;
    }
    this.#ids[at] = id;
  }

  /** From where range `i` of a partition of the same family starts on, the record is `id`. */
  pushStart({ starts }: RangeSet, i: number, id: number): void {
    if (this.family === 4) this.push4(starts[i]!, id);
    else this.push6(starts[4 * i]!, starts[4 * i + 1]!, starts[4 * i + 2]!, starts[4 * i + 3]!, id);
  }

  /** Ranges `from` to `to` of a partition, each with the record that `numberOf` gives for its own; they start after everything that was pushed. */
  pushStretch(set: RangeSet, from: number, to: number, numberOf: (id: number) => number): void {
    while (this.#count + to - from > this.#ids.length) this.#grow();
    const { ids: theirs, starts: given } = set;
    const starts = this.#starts;
    const ids = this.#ids;
    const wide = this.family === 6;
    let at = this.#count - 1;
    let last = ids[at]!;
    for (let i = from; i < to; i++) {
      const id = numberOf(theirs[i]!);
      if (id === last) continue;
      last = id;
      ids[++at] = id;
      if (wide) {
        starts[4 * at] = given[4 * i]!;
        starts[4 * at + 1] = given[4 * i + 1]!;
        starts[4 * at + 2] = given[4 * i + 2]!;
        starts[4 * at + 3] = given[4 * i + 3]!;
      } else starts[at] = given[i]!;
    }
    this.#count = at + 1;
  }

  /** The finished partition, over the builder's own memory (what was reserved and never written costs nothing). The builder is not used afterwards. */
  finish(): RangeSet {
    const count = this.#count;
    const starts = this.#starts.subarray(0, count * WIDTH[this.family]);
    return { family: this.family, count, starts, ids: this.#ids.subarray(0, count) } as RangeSet;
  }

  #grow(): void {
    const starts = new Uint32Array(this.#starts.length * 2);
    starts.set(this.#starts);
    this.#starts = starts;
    const ids = new Uint32Array(this.#ids.length * 2);
    ids.set(this.#ids);
    this.#ids = ids;
  }
}

/** A partition in which nothing is known. */
export function emptyRanges(family: 4 | 6): RangeSet {
  return { family, count: 1, starts: new Uint32Array(WIDTH[family]), ids: new Uint32Array(1) } as RangeSet;
}

/**
 * Rows as lists and CSV files hold them: [first, last] inclusive with a record number, in any order, nested and overlapping.
 * `partition()` sorts them out: where rows overlap the one that starts later wins, of those that start together the shorter one, of equal ones the later row.
 * For prefixes that is longest match.
 */
export class RangeRows {
  readonly family: 4 | 6;
  readonly #width: 1 | 4;
  #firsts: Uint32Array<ArrayBuffer>;
  #lasts: Uint32Array<ArrayBuffer>;
  #ids: Uint32Array<ArrayBuffer>;
  #count = 0;

  constructor(family: 4 | 6, expected = 1024) {
    this.family = family;
    this.#width = WIDTH[family];
    this.#firsts = new Uint32Array(expected * this.#width);
    this.#lasts = new Uint32Array(expected * this.#width);
    this.#ids = new Uint32Array(expected);
  }

  get length(): number {
    return this.#count;
  }

  add4(first: number, last: number, id: number): void {
    const at = this.#reserve();
    this.#firsts[at] = first;
    this.#lasts[at] = last;
    this.#ids[at] = id;
  }

  add6(first: ArrayLike<number>, last: ArrayLike<number>, id: number): void {
    const at = this.#reserve();
    for (let i = 0; i < 4; i++) {
      this.#firsts[4 * at + i] = first[i] ?? 0;
      this.#lasts[4 * at + i] = last[i] ?? 0;
    }
    this.#ids[at] = id;
  }

  partition(): RangeSet {
    const out = new RangeBuilder(this.family, this.#count * 2 + 16);
    const order = this.#order();
    /** Rows that hold the current position, the deciding one on top. */
    const open: number[] = [];
    for (let i = 0; i < order.length; i++) {
      const row = order[i]!;
      this.#close(open, row, out);
      this.#emit(out, this.#firsts, row, this.#ids[row]!);
      open.push(row);
    }
    this.#close(open, -1, out);
    return out.finish();
  }

  /** Ends open rows that finish before row `next` starts (-1: all of them), each giving way to the one below it that goes on. */
  #close(open: number[], next: number, out: RangeBuilder): void {
    while (open.length > 0) {
      const top = open[open.length - 1]!;
      if (next >= 0 && this.#compare(this.#lasts, top, this.#firsts, next) >= 0) return;
      open.pop();
      while (open.length > 0 && this.#compare(this.#lasts, open[open.length - 1]!, this.#lasts, top) <= 0) open.pop();
      const below = open[open.length - 1];
      this.#emitAfter(out, top, below === undefined ? 0 : this.#ids[below]!);
    }
  }

  #order(): Uint32Array {
    const order = new Uint32Array(this.#count);
    let sorted = true;
    for (let i = 0; i < order.length; i++) {
      order[i] = i;
      if (i > 0 && sorted && this.#before(i - 1, i) > 0) sorted = false;
    }
    return sorted ? order : order.sort((a, b) => this.#before(a, b));
  }

  #before(a: number, b: number): number {
    return this.#compare(this.#firsts, a, this.#firsts, b) || -this.#compare(this.#lasts, a, this.#lasts, b) || a - b;
  }

  #compare(left: Uint32Array, a: number, right: Uint32Array, b: number): number {
    const width = this.#width;
    for (let i = 0; i < width; i++) {
      const difference = left[a * width + i]! - right[b * width + i]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  #emit(out: RangeBuilder, from: Uint32Array, row: number, id: number): void {
    if (this.#width === 1) out.push4(from[row]!, id);
    else out.push6(from[4 * row]!, from[4 * row + 1]!, from[4 * row + 2]!, from[4 * row + 3]!, id);
  }

  /** Starts `id` at the address after the row's last one; nothing at the end of the space. */
  #emitAfter(out: RangeBuilder, row: number, id: number): void {
    const top = 0xffff_ffff;
    const lasts = this.#lasts;
    if (this.#width === 1) {
      if (lasts[row] !== top) out.push4(lasts[row]! + 1, id);
      return;
    }
    const w = [lasts[4 * row]!, lasts[4 * row + 1]!, lasts[4 * row + 2]!, lasts[4 * row + 3]!] as [number, number, number, number];
    let i = 3;
    while (i >= 0 && w[i] === top) w[i--] = 0;
    if (i < 0) return;
    w[i]! += 1;
    out.push6(w[0], w[1], w[2], w[3], id);
  }

  #reserve(): number {
    if (this.#count === this.#ids.length) {
      const double = (from: Uint32Array): Uint32Array<ArrayBuffer> => {
        const to = new Uint32Array(from.length * 2);
        to.set(from);
        return to;
      };
      this.#firsts = double(this.#firsts);
      this.#lasts = double(this.#lasts);
      this.#ids = double(this.#ids);
    }
    return this.#count++;
  }
}

/** The record number that holds at an address: the slow, obvious look-up for tests and reports. */
export function rangeAt(set: RangeSet, words: ArrayLike<number>): number {
  const width = WIDTH[set.family];
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
