/** What a table is made for. */
export interface AddressTableOptions {
  /** Entries at most; the owner makes room before it inserts another one. */
  readonly entriesMax: number;
  /** Columns of numbers of each entry. */
  readonly columns: number;
  /** Random numbers of 32 bits, nine: who writes the log chooses its addresses, and must not be able to choose where they fall. */
  readonly seed: readonly number[];
}

const FIRST_SLOTS = 1024;
/** Slots of the fullest table: four for three entries. */
const slotsFor = (entries: number): number => 2 ** Math.ceil(Math.log2((entries * 4) / 3));

/**
 * Addresses of both families with numbers of each: open addressing over typed arrays, no object per entry. It doubles as it fills, up to a bound, so that
 * its memory has one too: 25 bytes a slot and 8 for each column.
 */
export class AddressTable {
  readonly entriesMax: number;
  readonly #seed: readonly number[];
  readonly #columnCount: number;
  #slots = FIRST_SLOTS;
  #families: Uint8Array;
  #words: Uint32Array;
  /** Slots in the order in which their entries came, so that nothing depends on where the seed puts them. */
  #order: Uint32Array;
  /** A number of 32 bits for each slot. */
  tags: Uint32Array;
  columns: readonly Float64Array[];
  size = 0;

  constructor({ entriesMax, columns, seed }: AddressTableOptions) {
    this.entriesMax = entriesMax;
    this.#seed = seed.map((word, i) => (i === 0 ? word | 1 : word | 0));
    this.#columnCount = columns;
    this.#families = new Uint8Array(FIRST_SLOTS);
    this.#words = new Uint32Array(4 * FIRST_SLOTS);
    this.#order = new Uint32Array(FIRST_SLOTS);
    this.tags = new Uint32Array(FIRST_SLOTS);
    this.columns = makeColumns(columns, FIRST_SLOTS);
  }

  get isFull(): boolean {
    return this.size >= this.entriesMax;
  }

  /** @returns the slot, or -1 */
  find(family: 4 | 6, w0: number, w1: number, w2: number, w3: number): number {
    const slot = this.#probe(family, w0, w1, w2, w3);
    return this.#families[slot] === 0 ? -1 : slot;
  }

  /** Takes in an address that is not there; its columns are 0. Slots found before are no longer valid. @returns its slot */
  insert(family: 4 | 6, w0: number, w1: number, w2: number, w3: number, tag: number): number {
    if (this.isFull) throw new Error('the table is full');
    if ((this.size + 1) * 4 > this.#slots * 3)
      this.#rebuild(Math.min(2 * this.#slots, Math.max(FIRST_SLOTS, slotsFor(this.entriesMax))), () => true);
    return this.#place(family, w0, w1, w2, w3, tag);
  }

  /** Drops the entries that a rule does not keep. Slots found before are no longer valid. */
  retain(keeps: (slot: number) => boolean): void {
    this.#rebuild(this.#slots, keeps);
  }

  /** Calls back with the slot of every entry, in the order in which they came. */
  each(visit: (slot: number, family: 4 | 6, w0: number, w1: number, w2: number, w3: number) => void): void {
    const families = this.#families;
    const words = this.#words;
    const order = this.#order;
    for (let i = 0; i < this.size; i++) {
      const slot = order[i]!;
      visit(
        slot,
        families[slot] as 4 | 6,
        words[4 * slot]!,
        words[4 * slot + 1]!,
        words[4 * slot + 2]!,
        words[4 * slot + 3]!,
      );
    }
  }

  #place(family: 4 | 6, w0: number, w1: number, w2: number, w3: number, tag: number): number {
    const slot = this.#probe(family, w0, w1, w2, w3);
    this.#families[slot] = family;
    this.#words[4 * slot] = w0;
    this.#words[4 * slot + 1] = w1;
    this.#words[4 * slot + 2] = w2;
    this.#words[4 * slot + 3] = w3;
    this.tags[slot] = tag;
    this.#order[this.size++] = slot;
    return slot;
  }

  /** The slot of an address, or the free one where it belongs. */
  #probe(family: 4 | 6, w0: number, w1: number, w2: number, w3: number): number {
    const families = this.#families;
    const words = this.#words;
    const mask = this.#slots - 1;
    for (let slot = this.#hash(family, w0, w1, w2, w3) & mask; ; slot = (slot + 1) & mask) {
      const there = families[slot];
      if (there === 0) return slot;
      const at = 4 * slot;
      if (words[at] === w0 && there === family && words[at + 1] === w1 && words[at + 2] === w2 && words[at + 3] === w3)
        return slot;
    }
  }

  /** Seeded sum of halves (vector multiply-shift, as `engine/evidence/address-hash.ts` argues), then a mix, so that its low bits are good as well. */
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

  #rebuild(slots: number, keeps: (slot: number) => boolean): void {
    const { tags, columns, size } = this;
    const families = this.#families;
    const words = this.#words;
    const order = this.#order;
    this.#slots = slots;
    this.#families = new Uint8Array(slots);
    this.#words = new Uint32Array(4 * slots);
    this.#order = new Uint32Array(slots);
    this.tags = new Uint32Array(slots);
    this.columns = makeColumns(this.#columnCount, slots);
    this.size = 0;
    for (let i = 0; i < size; i++) {
      const old = order[i]!;
      if (!keeps(old)) continue;
      const slot = this.#place(
        families[old] as 4 | 6,
        words[4 * old]!,
        words[4 * old + 1]!,
        words[4 * old + 2]!,
        words[4 * old + 3]!,
        tags[old]!,
      );
      for (let column = 0; column < columns.length; column++) this.columns[column]![slot] = columns[column]![old]!;
    }
  }
}

const makeColumns = (count: number, slots: number): readonly Float64Array[] =>
  Array.from({ length: count }, () => new Float64Array(slots));
