import { grown } from '../../core/kit/grown.ts';
import { SlotIndex } from '../../core/kit/slot-index.ts';
import type { SectionInput } from '../image.ts';
import type { HashSeed } from './address-hash.ts';
import { ROW_WORDS } from './evidence-row.ts';
import { halfSipHash } from './half-sip-hash.ts';

/**
 * Row sets while compiling: each distinct list of rows once. Rows are kept in the order of their words, so that the same rows make the same set,
 * whatever order they came in. Set 0 is the empty one.
 */
export class RowSets {
  #rows = new Uint32Array(ROW_WORDS * 1024);
  #offsets = new Uint32Array(1024);
  #count = 1;
  readonly #index = new SlotIndex(
    (set) => this.#hash(this.#rows.subarray(ROW_WORDS * this.#offsets[set]!, ROW_WORDS * this.#offsets[set + 1]!)),
    2048,
  );
  readonly #seed: HashSeed;

  /** @param seed keys the hash, since publishers choose times and names of rows */
  constructor(seed: HashSeed) {
    this.#seed = seed;
  }

  /** The number of a set. @param words rows to join, ROW_WORDS each; sorted in place */
  intern(words: number[]): number {
    if (words.length === 0) return 0;
    if (words.length > ROW_WORDS) sortRows(words);
    const hash = this.#hash(words);
    const index = this.#index;
    for (let set = index.first(hash); set !== 0; set = index.next()) if (this.#equals(set, words)) return set;
    const set = this.#append(words);
    index.add(hash, set);
    return set;
  }

  /** Rows of a set, copied behind the rows of `into`. */
  copyTo(set: number, into: number[]): void {
    for (let i = ROW_WORDS * this.#offsets[set]!; i < ROW_WORDS * this.#offsets[set + 1]!; i++)
      into.push(this.#rows[i]!);
  }

  sections(): readonly SectionInput[] {
    return [
      { id: 'SETO', data: this.#offsets.subarray(0, this.#count + 1) },
      { id: 'SETR', data: this.#rows.subarray(0, ROW_WORDS * this.#offsets[this.#count]!) },
    ];
  }

  #append(words: readonly number[]): number {
    const set = this.#count++;
    const first = this.#offsets[set]!;
    const end = ROW_WORDS * first + words.length;
    if (end > this.#rows.length) this.#rows = grown(this.#rows, end);
    this.#rows.set(words, ROW_WORDS * first);
    if (this.#count >= this.#offsets.length) this.#offsets = grown(this.#offsets);
    this.#offsets[set + 1] = first + words.length / ROW_WORDS;
    return set;
  }

  #equals(set: number, words: readonly number[]): boolean {
    const from = ROW_WORDS * this.#offsets[set]!;
    if (ROW_WORDS * this.#offsets[set + 1]! - from !== words.length) return false;
    for (let i = 0; i < words.length; i++) if (this.#rows[from + i] !== words[i]) return false;
    return true;
  }

  #hash(words: ArrayLike<number>): number {
    return halfSipHash(this.#seed[0]!, this.#seed[1]!, words);
  }
}

/** Rows up to which an insertion sort is quickest; beyond it, its square would count. */
const INSERTION_MAX = 24;

/** Sorts by row key, then time. */
function sortRows(words: number[]): void {
  if (words.length > ROW_WORDS * INSERTION_MAX) sortManyRows(words);
  else sortFewRows(words);
}

function sortFewRows(words: number[]): void {
  for (let i = ROW_WORDS; i < words.length; i += ROW_WORDS) {
    const [a, b, c] = [words[i]!, words[i + 1]!, words[i + 2]!];
    let j = i - ROW_WORDS;
    while (j >= 0 && (words[j + 2]! - c || words[j + 1]! - b || words[j]! - a) > 0) {
      words[j + 3] = words[j]!;
      words[j + 4] = words[j + 1]!;
      words[j + 5] = words[j + 2]!;
      j -= ROW_WORDS;
    }
    words[j + 3] = a;
    words[j + 4] = b;
    words[j + 5] = c;
  }
}

function sortManyRows(words: number[]): void {
  const rows: (readonly [number, number, number])[] = [];
  for (let at = 0; at < words.length; at += ROW_WORDS) rows.push([words[at]!, words[at + 1]!, words[at + 2]!]);
  rows.sort((a, b) => a[2] - b[2] || a[1] - b[1] || a[0] - b[0]);
  let at = 0;
  for (const row of rows) for (const word of row) words[at++] = word;
}
