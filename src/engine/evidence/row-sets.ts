import { grown } from '../../core/kit/grown.ts';
import { HalfSipHash } from '../../core/kit/half-sip-hash.ts';
import { SlotIndex } from '../../core/kit/slot-index.ts';
import type { SectionInput } from '../image.ts';
import type { HashSeed } from './address-hash.ts';
import type { EvidenceColumns } from './evidence-delta.ts';
import { isLast, LAST, ROW_WORDS } from './evidence-row.ts';

/**
 * Row sets during a compile. Each distinct list of rows is kept once, except single rows. Rows are ordered by
 * their words, so the same rows make the same set. Set 0 is empty: a row that is never read.
 */
export class RowSets {
  #rows = new Uint32Array(ROW_WORDS * 1024);
  #count = 1;
  readonly #index = new SlotIndex((set) => this.#hash(this.#wordsOf(set)), 2048);
  /** Caches the latest sets of one row, by a mix of their words. */
  readonly #recent = new Uint32Array(65_536);
  readonly #sip: HalfSipHash;

  /** @param seed keys the hash, because publishers choose times and names of rows */
  constructor(seed: HashSeed) {
    this.#sip = new HalfSipHash(seed[0]!, seed[1]!);
    this.#rows[1] = LAST;
  }

  /** @param words rows to join, ROW_WORDS each; sorted in place, and the last is marked */
  intern(words: number[]): number {
    if (words.length === 0) return 0;
    if (words.length > ROW_WORDS) sortRows(words);
    words[words.length - 2]! += LAST;
    const hash = this.#hash(words);
    const index = this.#index;
    for (let set = index.first(hash); set !== 0; set = index.next()) if (this.#equals(set, words)) return set;
    const set = this.#reserve(words.length / ROW_WORDS);
    this.#rows.set(words, ROW_WORDS * set);
    index.add(hash, set);
    return set;
  }

  /**
   * Returns the number of a set of one row. Rows of a list are alike and share one; a row with its own time
   * is met once, so it is not searched among all. A row that was evicted from `#recent` gets a second set.
   */
  internRow(row0: number, row1: number, row2: number): number {
    const place = Math.imul(Math.imul(row0, 0x9e3779b1) ^ Math.imul(row2, 0x85ebca6b) ^ row1, 0xc2b2ae35) >>> 16;
    const known = this.#recent[place]!;
    const from = ROW_WORDS * known;
    const rows = this.#rows;
    if (known !== 0 && rows[from] === row0 && rows[from + 1] === row1 + LAST && rows[from + 2] === row2) return known;
    const set = this.#reserve(1);
    this.#rows[ROW_WORDS * set] = row0;
    this.#rows[ROW_WORDS * set + 1] = row1 + LAST;
    this.#rows[ROW_WORDS * set + 2] = row2;
    this.#recent[place] = set;
    return set;
  }

  copyTo(set: number, into: number[]): void {
    if (set === 0) return;
    for (const word of this.#wordsOf(set)) into.push(word);
    into[into.length - 2]! -= LAST;
  }

  sections(): readonly SectionInput[] {
    return [{ id: 'SETR', data: this.#rows.subarray(0, ROW_WORDS * this.#count) }];
  }

  #reserve(rows: number): number {
    const set = this.#count;
    this.#count += rows;
    if (ROW_WORDS * this.#count > this.#rows.length) this.#rows = grown(this.#rows, ROW_WORDS * this.#count);
    return set;
  }

  #wordsOf(set: number): Uint32Array {
    let last = set;
    while (!isLast(this.#rows, last)) last++;
    return this.#rows.subarray(ROW_WORDS * set, ROW_WORDS * (last + 1));
  }

  #equals(set: number, words: readonly number[]): boolean {
    // The mark of the last row ends the comparison with a set of another length.
    const from = ROW_WORDS * set;
    for (let i = 0; i < words.length; i++) if (this.#rows[from + i] !== words[i]) return false;
    return true;
  }

  #hash(words: ArrayLike<number>): number {
    this.#sip.update(words);
    return this.#sip.h1 >>> 0;
  }
}

/** Up to this many rows an insertion sort is fastest; its cost grows with the square. */
const INSERTION_MAX = 24;

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

/** Columns of eight-byte elements must begin at a multiple of eight. */
const ALIGNED = 8;

/** All threads share one buffer of exactly the rows' size. */
export function shareColumns(rows: EvidenceColumns): EvidenceColumns {
  const { length, op, family, words, bits, source, type, pool, capturedAt, days } = rows;
  const columns = [op, family, words, bits, source, type, pool, capturedAt, days];
  const memory = new SharedArrayBuffer(columns.reduce((sum, { byteLength }) => sum + roundUp(byteLength), 0));
  let end = 0;
  const place = (column: { readonly byteLength: number }): number => {
    const at = end;
    end += roundUp(column.byteLength);
    return at;
  };
  const bytes = (column: Uint8Array): Uint8Array =>
    filled(new Uint8Array(memory, place(column), column.length), column);
  const halves = (column: Uint16Array): Uint16Array =>
    filled(new Uint16Array(memory, place(column), column.length), column);
  return {
    length,
    op: bytes(op),
    family: bytes(family),
    words: filled(new Uint32Array(memory, place(words), words.length), words),
    bits: bytes(bits),
    source: halves(source),
    type: bytes(type),
    pool: halves(pool),
    capturedAt: filled(new Float64Array(memory, place(capturedAt), capturedAt.length), capturedAt),
    days: halves(days),
  };
}

const roundUp = (size: number): number => Math.ceil(size / ALIGNED) * ALIGNED;

function filled<T extends Uint8Array | Uint16Array | Uint32Array | Float64Array>(to: T, from: T): T {
  to.set(from);
  return to;
}
