import { grown } from '../../core/kit/grown.ts';
import { RangeBuilder } from './range-builder.ts';
import { type RangeSet, START_WORDS } from './range-set.ts';

/**
 * Rows as lists and CSV files hold them: [first, last] inclusive with a record number, in any order, nested
 * and overlapping. `partition()` resolves overlaps: the later start wins, then the shorter row, then the
 * later row. For prefixes that is longest match.
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
    this.#width = START_WORDS[family];
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
    /** These rows contain the current position; the last one decides. */
    const open: number[] = [];
    for (let i = 0; i < order.length; i++) {
      const row = order[i]!;
      this.#close(open, row, out);
      out.push(this.#firsts, this.#width * row, this.#ids[row]!);
      open.push(row);
    }
    this.#close(open, -1, out);
    return out.finish();
  }

  #close(open: number[], next: number, out: RangeBuilder): void {
    while (open.length > 0) {
      const top = open[open.length - 1]!;
      if (next >= 0 && this.#compare(this.#lasts, top, this.#firsts, next) >= 0) return;
      open.pop();
      while (open.length > 0 && this.#compare(this.#lasts, open[open.length - 1]!, this.#lasts, top) <= 0) open.pop();
      const below = open[open.length - 1];
      out.pushAfter(this.#lasts, this.#width * top, below === undefined ? 0 : this.#ids[below]!);
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

  #reserve(): number {
    if (this.#count === this.#ids.length) {
      this.#firsts = grown(this.#firsts, this.#width);
      this.#lasts = grown(this.#lasts, this.#width);
      this.#ids = grown(this.#ids, 1);
    }
    return this.#count++;
  }
}
