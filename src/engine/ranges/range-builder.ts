import { grown } from '../../core/kit/grown.ts';
import { type RangeSet, START_WORDS } from './range-set.ts';

const TOP = 0xffff_ffff;

/**
 * Grows a partition from start to end. Ranges are given in address order, each with only its start; equal
 * neighbours merge. The first range starts at 0 by itself.
 */
export class RangeBuilder {
  readonly family: 4 | 6;
  #starts: Uint32Array<ArrayBuffer>;
  #ids: Uint32Array<ArrayBuffer>;
  #count = 1;

  constructor(family: 4 | 6, expected = 1024) {
    this.family = family;
    this.#starts = new Uint32Array(expected * START_WORDS[family]);
    this.#ids = new Uint32Array(expected);
  }

  /** Starting again at the same address replaces the last range. */
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

  /** The address begins at word `at` and has one word for IPv4, four for IPv6. */
  push(words: Uint32Array, at: number, id: number): void {
    if (this.family === 4) this.push4(words[at]!, id);
    else this.push6(words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!, id);
  }

  pushAfter(words: Uint32Array, at: number, id: number): void {
    if (this.family === 4) {
      if (words[at] !== TOP) this.push4(words[at]! + 1, id);
      return;
    }
    let w = 3;
    while (w >= 0 && words[at + w] === TOP) w--;
    if (w < 0) return;
    const word = (i: number): number => (i > w ? 0 : words[at + i]! + Number(i === w));
    this.push6(word(0), word(1), word(2), word(3), id);
  }

  pushStart({ starts }: RangeSet, i: number, id: number): void {
    this.push(starts, START_WORDS[this.family] * i, id);
  }

  /**
   * Appends ranges `from` to `to` of a partition with renumbered records; they must start after everything
   * that was pushed.
   */
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

  /** Returns the partition as a view of the builder's memory. The builder cannot be used afterwards. */
  finish(): RangeSet {
    const count = this.#count;
    const starts = this.#starts.subarray(0, count * START_WORDS[this.family]);
    return { family: this.family, count, starts, ids: this.#ids.subarray(0, count) } as RangeSet;
  }

  #grow(): void {
    this.#ids = grown(this.#ids, 1);
    this.#starts = grown(this.#starts, START_WORDS[this.family]);
  }
}
