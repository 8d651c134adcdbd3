import { uniteDays } from '../../core/evidence/unite-captures.ts';
import { grown } from '../../core/grown.ts';
import type { Address } from '../../core/ip/address.ts';
import { mask32 } from '../../core/ip/prefix.ts';
import { AddressHash, type HashSeed, nextSeed } from './address-hash.ts';

/** A row of the overlay: what it says, and the next one of its prefix. Sources and pools are LiveEvidence's numbers. */
export interface OverlayRow {
  readonly source: number;
  readonly type: number;
  readonly pool: number;
  readonly bits: number;
  readonly following: boolean;
  capturedAt: number;
  days: number;
}

const KEY_WORDS = 5;
const SLOTS = 1024;
/** Prefixes in one slot beyond which the table is hashed again with another seed. There are two slots a prefix: by chance alone none is ever so full. */
export const CHAIN_MAX = 32;

/**
 * What one thread knows beyond its image: rows by prefix, and for which (prefix, source) the image's rows no longer hold.
 * A hash table over prefixes with a chain for each slot; look-ups probe only lengths that occur, and only where a coarse bitmap says that something was added.
 */
export class Overlay {
  #seed: HashSeed;
  #hash: AddressHash;
  /** Slot → newest prefix in it, or -1. */
  #slots = new Int32Array(SLOTS).fill(-1);
  #shift = Math.clz32(SLOTS - 1);
  /** Prefix → the one before it in its slot, or -1. */
  #next = new Int32Array(256);
  /** Prefixes there must be before a full slot is answered with another seed: doubled each time, so that this never costs more than adding them did. */
  #reseedFrom = 0;
  /** Per prefix: four words, then family << 8 | bits. */
  #keys = new Uint32Array(KEY_WORDS * 256);
  #count = 0;
  readonly #rows: OverlayRow[][] = [];
  readonly #cleared: number[][] = [];
  /** Prefix lengths present, longest first. */
  readonly #lengths: Record<4 | 6, number[]> = { 4: [], 6: [] };
  /** First 16 bits of an address → something lies there. */
  readonly #touched: Record<4 | 6, Uint8Array> = { 4: new Uint8Array(65_536), 6: new Uint8Array(65_536) };

  /** Result of `match`. */
  readonly found = new Int32Array(130);

  /** @param seed random: publishers choose prefixes */
  constructor(seed: HashSeed) {
    this.#seed = seed;
    this.#hash = new AddressHash(seed);
  }

  /** Prefixes it holds. */
  get size(): number {
    return this.#count;
  }

  /** Forgets the rows of a source for exactly this prefix, here and in the image. */
  clear(family: 4 | 6, w0: number, w1: number, w2: number, w3: number, bits: number, source: number): void {
    const at = this.#entry(family, w0, w1, w2, w3, bits);
    this.#rows[at] = this.#rows[at]!.filter((row) => row.source !== source);
    if (!this.#cleared[at]!.includes(source)) this.#cleared[at]!.push(source);
  }

  /** Adds a row; one of equal source, type and pool unites with it. */
  add(family: 4 | 6, w0: number, w1: number, w2: number, w3: number, row: OverlayRow): void {
    const rows = this.#rows[this.#entry(family, w0, w1, w2, w3, row.bits)]!;
    const same = rows.find((other) => other.source === row.source && other.type === row.type && other.pool === row.pool && other.following === row.following);
    if (same === undefined) rows.push({ ...row });
    else unite(same, row);
  }

  /**
   * Finds the prefixes held that contain the address, longest first: their numbers are in `found[0..n-1]` until the next call. Allocates nothing.
   * @returns how many there are
   */
  match(address: Address): number {
    const { family, w0, w1, w2, w3 } = address;
    if (this.#touched[family][w0 >>> 16] === 0) return 0;
    const lengths = this.#lengths[family];
    let count = 0;
    for (let i = 0; i < lengths.length; i++) {
      const bits = lengths[i]!;
      const at = this.#find(
        family,
        (w0 & mask32(bits)) >>> 0,
        (w1 & mask32(bits - 32)) >>> 0,
        (w2 & mask32(bits - 64)) >>> 0,
        (w3 & mask32(bits - 96)) >>> 0,
        bits,
      );
      if (at >= 0) this.found[count++] = at;
    }
    return count;
  }

  /** Rows of a prefix found. */
  rowsOf(entry: number): readonly OverlayRow[] {
    return this.#rows[entry]!;
  }

  /** Whether the image's rows of this source for a prefix of this length, among the first `count` found, no longer hold. */
  hides(count: number, bits: number, source: number): boolean {
    for (let i = 0; i < count; i++) {
      const entry = this.found[i]!;
      if ((this.#keys[KEY_WORDS * entry + 4]! & 0xff) === bits) return this.#cleared[entry]!.includes(source);
    }
    return false;
  }

  /** Most prefixes in one slot. */
  get longestChain(): number {
    let longest = 0;
    for (const first of this.#slots) longest = Math.max(longest, this.#chainLength(first));
    return longest;
  }

  /** Number of the prefix, or -1. */
  #find(family: number, w0: number, w1: number, w2: number, w3: number, bits: number): number {
    const keys = this.#keys;
    const next = this.#next;
    const tag = (family << 8) | bits;
    for (let entry = this.#slots[this.#hash.prefix(w0, w1, w2, w3, tag) >>> this.#shift]!; entry >= 0; entry = next[entry]!) {
      const k = KEY_WORDS * entry;
      if (keys[k] === w0 && keys[k + 1] === w1 && keys[k + 2] === w2 && keys[k + 3] === w3 && keys[k + 4] === tag) return entry;
    }
    return -1;
  }

  #entry(family: 4 | 6, w0: number, w1: number, w2: number, w3: number, bits: number): number {
    const found = this.#find(family, w0, w1, w2, w3, bits);
    if (found >= 0) return found;
    const entry = this.#count++;
    if (KEY_WORDS * this.#count > this.#keys.length) this.#keys = grown(this.#keys);
    if (this.#count > this.#next.length) this.#next = grown(this.#next);
    this.#keys.set([w0, w1, w2, w3, (family << 8) | bits], KEY_WORDS * entry);
    this.#rows.push([]);
    this.#cleared.push([]);
    if (2 * this.#count > this.#slots.length) this.#rehash(2 * this.#slots.length);
    else this.#link(entry);
    const lengths = this.#lengths[family];
    if (!lengths.includes(bits)) lengths.push(bits);
    lengths.sort((a, b) => b - a);
    const first = w0 >>> 16;
    this.#touched[family].fill(1, first, first + 2 ** Math.max(0, 16 - bits));
    return entry;
  }

  /** Puts a prefix into its slot. A slot that is too full then means that the seed was a bad one for these prefixes. */
  #link(entry: number): void {
    const slot = this.#slotOf(entry);
    this.#next[entry] = this.#slots[slot]!;
    this.#slots[slot] = entry;
    if (this.#count < this.#reseedFrom || this.#chainLength(entry) <= CHAIN_MAX) return;
    this.#reseedFrom = 2 * this.#count;
    this.#seed = nextSeed(this.#seed);
    this.#hash = new AddressHash(this.#seed);
    this.#rehash(this.#slots.length);
  }

  #rehash(slots: number): void {
    this.#slots = new Int32Array(slots).fill(-1);
    this.#shift = Math.clz32(slots - 1);
    for (let entry = 0; entry < this.#count; entry++) {
      const slot = this.#slotOf(entry);
      this.#next[entry] = this.#slots[slot]!;
      this.#slots[slot] = entry;
    }
  }

  #slotOf(entry: number): number {
    const keys = this.#keys;
    const k = KEY_WORDS * entry;
    return this.#hash.prefix(keys[k]!, keys[k + 1]!, keys[k + 2]!, keys[k + 3]!, keys[k + 4]!) >>> this.#shift;
  }

  #chainLength(first: number): number {
    let length = 0;
    for (let entry = first; entry >= 0; entry = this.#next[entry]!) length++;
    return length;
  }
}

/** Two rows of one key: captures unite, an open presence interval keeps its earlier beginning. */
function unite(into: OverlayRow, row: OverlayRow): void {
  if (into.following) {
    into.capturedAt = Math.min(into.capturedAt, row.capturedAt);
    return;
  }
  into.days = uniteDays(into.capturedAt, into.days, row.capturedAt, row.days);
  into.capturedAt = Math.max(into.capturedAt, row.capturedAt);
}
