import { grown } from '../kit/grown.ts';
import { SlotIndex } from '../kit/slot-index.ts';

/**
 * - `entriesMax`: the owner makes room before it inserts more entries than this.
 * - `seed`: nine random numbers of 32 bits: the author of a log chooses its addresses and must not choose their
 *   places here.
 */
export interface AddressTableOptions {
  readonly entriesMax: number;
  readonly columns: number;
  readonly seed: readonly number[];
}

const FIRST_ROWS = 1024;

/**
 * Holds addresses of both families with numbers of each, in typed arrays in the order of arrival, without an
 * object per entry. It doubles up to a bound on its memory.
 */
export class AddressTable {
  readonly entriesMax: number;
  readonly #seed: readonly number[];
  #index = this.#newIndex(0);
  #families = new Uint8Array(FIRST_ROWS);
  #words = new Uint32Array(4 * FIRST_ROWS);
  tags = new Uint32Array(FIRST_ROWS);
  columns: readonly Float64Array[];
  size = 0;

  constructor({ entriesMax, columns, seed }: AddressTableOptions) {
    this.entriesMax = entriesMax;
    this.#seed = seed.map((word, i) => (i === 0 ? word | 1 : word | 0));
    this.columns = Array.from({ length: columns }, () => new Float64Array(FIRST_ROWS));
  }

  get isFull(): boolean {
    return this.size >= this.entriesMax;
  }

  find(family: 4 | 6, w0: number, w1: number, w2: number, w3: number): number {
    const index = this.#index;
    const words = this.#words;
    for (let id = index.first(this.#hash(family, w0, w1, w2, w3)); id !== 0; id = index.next()) {
      const at = 4 * id - 4;
      if (
        words[at] === w0 &&
        this.#families[id - 1] === family &&
        words[at + 1] === w1 &&
        words[at + 2] === w2 &&
        words[at + 3] === w3
      )
        return id - 1;
    }
    return -1;
  }

  insert(family: 4 | 6, w0: number, w1: number, w2: number, w3: number, tag: number): number {
    if (this.isFull) throw new Error('the table is full');
    const row = this.size++;
    if (row === this.tags.length) {
      this.#families = grown(this.#families);
      this.#words = grown(this.#words);
      this.tags = grown(this.tags);
      this.columns = this.columns.map((column) => grown(column));
    }
    this.#families[row] = family;
    this.#words[4 * row] = w0;
    this.#words[4 * row + 1] = w1;
    this.#words[4 * row + 2] = w2;
    this.#words[4 * row + 3] = w3;
    this.tags[row] = tag;
    for (const column of this.columns) column[row] = 0;
    this.#index.add(this.#hash(family, w0, w1, w2, w3), row + 1);
    return row;
  }

  #retain(keeps: (row: number) => boolean): void {
    let kept = 0;
    for (let row = 0; row < this.size; row++) {
      if (!keeps(row)) continue;
      this.#families[kept] = this.#families[row]!;
      this.#words.copyWithin(4 * kept, 4 * row, 4 * row + 4);
      this.tags[kept] = this.tags[row]!;
      for (const column of this.columns) column[kept] = column[row]!;
      kept++;
    }
    this.size = kept;
    this.#index = this.#newIndex(kept);
    for (let row = 0; row < kept; row++) this.#index.add(this.#hashOf(row), row + 1);
  }

  /**
   * Makes room by the first column: every count loses the median, and entries without a rest are dropped
   * (Misra and Gries, 1982, with the median as Anderson and others take it, 2017). A count loses at most
   * twice the sum of all counts over the size of the table.
   * @returns the loss of each count that stays, and the most that a dropped one had
   */
  forgetRarest(): number {
    const counts = this.columns[0]!;
    const median = counts.slice(0, this.size).sort()[this.size >> 1]!;
    this.#retain((row) => counts[row]! > median);
    for (let row = 0; row < this.size; row++) counts[row]! -= median;
    return median;
  }

  each(visit: (row: number, family: 4 | 6, w0: number, w1: number, w2: number, w3: number) => void): void {
    const words = this.#words;
    for (let row = 0, at = 0; row < this.size; row++, at += 4)
      visit(row, this.#families[row] as 4 | 6, words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
  }

  #newIndex(expected: number): SlotIndex {
    return new SlotIndex((id) => this.#hashOf(id - 1), Math.max(FIRST_ROWS, expected));
  }

  #hashOf(row: number): number {
    const words = this.#words;
    const at = 4 * row;
    return this.#hash(this.#families[row] as 4 | 6, words[at]!, words[at + 1]!, words[at + 2]!, words[at + 3]!);
  }

  /**
   * A seeded sum of halves (vector multiply-shift, as `engine/evidence/address-hash.ts` argues), then a mix
   * that makes its low bits good too.
   */
  #hash(family: 4 | 6, w0: number, w1: number, w2: number, w3: number): number {
    const seed = this.#seed;
    let h = Math.imul(w0, seed[0]!);
    if (family === 6) {
      h =
        Math.imul(w0 & 0xffff, seed[1]!) +
        Math.imul(w0 >>> 16, seed[2]!) +
        Math.imul(w1 & 0xffff, seed[3]!) +
        Math.imul(w1 >>> 16, seed[4]!);
      h +=
        Math.imul(w2 & 0xffff, seed[5]!) +
        Math.imul(w2 >>> 16, seed[6]!) +
        Math.imul(w3 & 0xffff, seed[7]!) +
        Math.imul(w3 >>> 16, seed[8]!);
    }
    h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
    h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
    return h ^ (h >>> 16);
  }
}
