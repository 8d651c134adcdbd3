import { HASH_WORDS } from '../number-key.ts';
import type { Increment } from './increments.ts';
import { Interner, isDeletion, type RecordTables, WORDS } from './record.ts';

/**
 * Increments since the full load, in shared memory: written by one thread, read by all of them without a lock.
 *
 * `rows` only ever grows: a later record of a number is a new row whose `previous` names the older one (1 + row, 0 = none). `slots` is an
 * open-addressing table over word 1 of the hash holding 1 + the newest row. A reader's view says how many rows it sees; from a newer row it walks
 * `previous` back to one of its own. So a reader still answers as of its view while an import runs, whole increments only.
 */
export interface SharedIncrements {
  readonly rows: SharedArrayBuffer;
  readonly previous: SharedArrayBuffer;
  readonly slots: SharedArrayBuffer;
  /** Rows this view sees. */
  readonly visible: number;
  readonly tables: RecordTables;
}

const FIRST_ROWS = 1024;

export class IncrementTable {
  #rows: Uint32Array<ArrayBufferLike> = new Uint32Array(0);
  #previous: Uint32Array<ArrayBufferLike> = new Uint32Array(0);
  #slots: Uint32Array<ArrayBufferLike> = new Uint32Array(0);
  #count = 0;
  readonly #tables = new Interner();
  #shared: SharedIncrements | undefined;

  constructor() {
    this.#reserve(FIRST_ROWS);
  }

  /**
   * Adds one increment.
   * @param inBase whether the generation below holds a hash; it settles how the count of records changes
   * @returns by how much the number of records changed
   */
  apply({ head, records }: Increment, inBase: (w0: number, w1: number, w2: number) => boolean): number {
    const count = records.length / WORDS;
    this.#reserve(this.#count + count);
    const tagSets = head.tagSets.map((tags) => this.#tables.tagSet(tags));
    const cards = head.cards.map((facts, index) => (index === 0 ? 0 : this.#tables.card(facts)));
    let change = 0;
    for (let at = 0; at < records.length; at += WORDS) {
      const w0 = records[at] ?? 0;
      const w1 = records[at + 1] ?? 0;
      const w2 = records[at + 2] ?? 0;
      const row = this.#count;
      const target = row * WORDS;
      this.#rows.set(records.subarray(at, at + WORDS), target);
      const tagsAndDays = records[at + 3] ?? 0;
      this.#rows[target + 3] = (tagSets[tagsAndDays & 0xffff] ?? 0) | (tagsAndDays & 0xffff_0000);
      this.#rows[target + 4] = cards[records[at + 4] ?? 0] ?? 0;
      const older = this.#link(row, w0, w1, w2);
      const before = older === 0 ? inBase(w0, w1, w2) : !isDeletion(this.#rows, (older - 1) * WORDS);
      change += Number(!isDeletion(records, at)) - Number(before);
      this.#count += 1;
    }
    this.#shared = undefined;
    return change;
  }

  /** Makes `row` the newest of its number. Returns 1 + the row that was, or 0. */
  #link(row: number, w0: number, w1: number, w2: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = w1 & mask; ; slot = (slot + 1) & mask) {
      const older = this.#slots[slot] ?? 0;
      if (older !== 0 && !sameHash(this.#rows, (older - 1) * WORDS, w0, w1, w2)) continue;
      this.#previous[row] = older;
      // After the row's own words: a reader that sees the slot sees them.
      Atomics.store(this.#slots, slot, row + 1);
      return older;
    }
  }

  /** Room for `rows` rows at no more than half-full slots. Growing makes new memory: views handed out keep the old. */
  #reserve(rows: number): void {
    const capacity = this.#rows.length / WORDS;
    if (rows <= capacity) return;
    const grown = 2 ** Math.ceil(Math.log2(rows));
    const old = this.#rows.subarray(0, this.#count * WORDS);
    this.#rows = new Uint32Array(new SharedArrayBuffer(grown * WORDS * 4));
    this.#previous = new Uint32Array(new SharedArrayBuffer(grown * 4));
    this.#slots = new Uint32Array(new SharedArrayBuffer(grown * 2 * 4));
    this.#rows.set(old);
    for (let row = 0; row < this.#count; row += 1) {
      const at = row * WORDS;
      this.#link(row, this.#rows[at] ?? 0, this.#rows[at + 1] ?? 0, this.#rows[at + 2] ?? 0);
    }
  }

  shared(): SharedIncrements {
    this.#shared ??= {
      rows: this.#rows.buffer as unknown as SharedArrayBuffer,
      previous: this.#previous.buffer as unknown as SharedArrayBuffer,
      slots: this.#slots.buffer as unknown as SharedArrayBuffer,
      visible: this.#count,
      tables: { tagSets: [...this.#tables.tagSets], cards: [...this.#tables.cards] },
    };
    return this.#shared;
  }
}

/** The typed arrays a thread reads a view through; made once a view. */
export interface IncrementsView {
  readonly rows: Uint32Array;
  readonly previous: Uint32Array;
  readonly slots: Uint32Array;
  readonly visible: number;
  readonly tables: RecordTables;
}

export const viewIncrements = (shared: SharedIncrements): IncrementsView => ({
  rows: new Uint32Array(shared.rows),
  previous: new Uint32Array(shared.previous),
  slots: new Uint32Array(shared.slots),
  visible: shared.visible,
  tables: shared.tables,
});

/** Word at which the newest visible record of a hash begins in `rows` (it may be a deletion), or -1. Allocates nothing. */
function findInIncrements(view: IncrementsView, w0: number, w1: number, w2: number): number {
  if (view.visible === 0) return -1;
  const mask = view.slots.length - 1;
  for (let slot = w1 & mask; ; slot = (slot + 1) & mask) {
    let row = Atomics.load(view.slots, slot);
    if (row === 0) return -1;
    if (!sameHash(view.rows, (row - 1) * WORDS, w0, w1, w2)) continue;
    while (row > view.visible) row = view.previous[row - 1] ?? 0;
    return row === 0 ? -1 : (row - 1) * WORDS;
  }
}

/**
 * `findInIncrements` for many hashes, a stage at a time as in `findManyInGeneration`: what the searches will look at is read first, where no load waits for another.
 * @param hashes four words a number, the leading word first
 */
export function findManyInIncrements(view: IncrementsView, hashes: Uint32Array): Int32Array {
  const { rows, slots, visible } = view;
  const count = hashes.length / HASH_WORDS;
  const found = new Int32Array(count).fill(-1);
  if (visible === 0) return found;
  const mask = slots.length - 1;
  const newest = new Uint32Array(count);
  for (let index = 0; index < count; index += 1)
    newest[index] = slots[(hashes[index * HASH_WORDS + 1] ?? 0) & mask] ?? 0;
  const leads = new Uint32Array(count);
  for (let index = 0; index < count; index += 1)
    leads[index] = rows[Math.max(0, (newest[index] ?? 0) - 1) * WORDS] ?? 0;
  for (let index = 0; index < count; index += 1) {
    const at = index * HASH_WORDS;
    found[index] = findInIncrements(view, hashes[at] ?? 0, hashes[at + 1] ?? 0, hashes[at + 2] ?? 0);
  }
  return found;
}

const sameHash = (rows: Uint32Array, at: number, w0: number, w1: number, w2: number): boolean =>
  rows[at] === w0 && rows[at + 1] === w1 && rows[at + 2] === w2;
