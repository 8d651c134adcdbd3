import { grown } from '../../core/kit/grown.ts';
import { RangeBuilder } from '../ranges/range-builder.ts';
import type { RangeSet } from '../ranges/range-set.ts';
import { ROW_WORDS } from './evidence-row.ts';
import type { RowSets } from './row-sets.ts';
import { compareEntries } from './sort-entries.ts';

const WIDTH = 8;
const BITS = 4;
const ROW = 5;
/** Below this number comparing rows is faster than counting digits. */
const RADIX_MIN = 1024;

/**
 * Rows of prefixes other than single addresses, of any length and nesting, during a compile. `flatten` turns
 * them into disjoint ranges. Each range names the set of all rows of all prefixes around it, so one lookup
 * finds them together.
 */
export class PrefixRows {
  readonly #family: 4 | 6;
  #words = new Uint32Array(WIDTH * 1024);
  #count = 0;

  constructor(family: 4 | 6) {
    this.#family = family;
  }

  get count(): number {
    return this.#count;
  }

  add(w0: number, w1: number, w2: number, w3: number, bits: number, row0: number, row1: number, row2: number): void {
    const at = this.#count++ * WIDTH;
    if (at + WIDTH > this.#words.length) this.#words = grown(this.#words);
    this.#words.set([w0, w1, w2, w3, bits, row0, row1, row2], at);
  }

  flatten(sets: RowSets): RangeSet {
    const words = this.#words;
    const order = this.#sorted();
    const out = new RangeBuilder(this.#family);
    /**
     * Prefixes around the current position, outermost first: the number of one of its rows, and the set that
     * holds inside.
     */
    const open: { at: number; set: number }[] = [];
    const closeBefore = (next: number): void => {
      while (open.length > 0) {
        const top = open[open.length - 1]!;
        if (next >= 0 && covers(words, top.at, next)) return;
        open.pop();
        out.pushAfter(lastOf(words, top.at), 0, open[open.length - 1]?.set ?? 0);
      }
    };
    for (let i = 0; i < order.length; ) {
      const at = order[i]! * WIDTH;
      closeBefore(at);
      const rows: number[] = [];
      sets.copyTo(open[open.length - 1]?.set ?? 0, rows);
      for (; i < order.length && samePrefix(words, at, order[i]! * WIDTH); i++) {
        const row = order[i]! * WIDTH + ROW;
        for (let w = 0; w < ROW_WORDS; w++) rows.push(words[row + w]!);
      }
      const set = sets.intern(rows);
      out.push(words, at, set);
      open.push({ at, set });
    }
    closeBefore(-1);
    return out.finish();
  }

  #sorted(): Uint32Array {
    const count = this.#count;
    let order = Uint32Array.from({ length: count }, (_, i) => i);
    if (count < RADIX_MIN) {
      const words = this.#words;
      return order.sort((a, b) => compareEntries(words, a * WIDTH, words, b * WIDTH, BITS + 1));
    }
    let other = new Uint32Array(count);
    const counts = new Uint32Array(65_537);
    const digits = [[BITS, 0], ...(this.#family === 4 ? [0] : [3, 2, 1, 0]).flatMap((word) => [[word, 0], [word, 16]])]; // biome-ignore format: one row
    for (const [word, shift] of digits as [number, number][]) {
      counts.fill(0);
      for (let i = 0; i < count; i++) counts[((this.#words[i * WIDTH + word]! >>> shift) & 0xffff) + 1]! += 1;
      if (counts.includes(count)) continue;
      for (let d = 1; d < counts.length; d++) counts[d]! += counts[d - 1]!;
      for (let i = 0; i < count; i++) {
        const row = order[i]!;
        other[counts[(this.#words[row * WIDTH + word]! >>> shift) & 0xffff]!++] = row;
      }
      [order, other] = [other, order];
    }
    return order;
  }
}

const maskWord = (bits: number): number => (bits <= 0 ? 0 : bits >= 32 ? -1 : -1 << (32 - bits));

function covers(words: Uint32Array, outer: number, inner: number): boolean {
  const bits = words[outer + BITS]!;
  for (let w = 0; w < 4; w++)
    if (((words[outer + w]! ^ words[inner + w]!) & maskWord(bits - 32 * w)) !== 0) return false;
  return true;
}

function samePrefix(words: Uint32Array, a: number, b: number): boolean {
  for (let w = 0; w <= BITS; w++) if (words[a + w] !== words[b + w]) return false;
  return true;
}

function lastOf(words: Uint32Array, prefix: number): Uint32Array {
  const bits = words[prefix + BITS]!;
  return Uint32Array.from({ length: 4 }, (_, w) => words[prefix + w]! | ~maskWord(bits - 32 * w));
}
