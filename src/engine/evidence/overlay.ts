import type { Address } from '../../core/ip/address.ts';
import { wordMask } from '../../core/ip/prefix.ts';
import { grown } from '../../core/kit/grown.ts';
import { AddressHash, type HashSeed, nextSeed } from './address-hash.ts';
import { ROW_OP } from './evidence-delta.ts';
import { OverlayRows } from './overlay-rows.ts';

const KEY_WORDS = 5;
const FEW_SLOTS = 2 ** 10;
/**
 * Slots of a larger table: two megabytes, of which only used pages are touched. A table that grows to its
 * usual size is never rehashed, which would delay lookups.
 */
const SLOTS = 2 ** 19;
/**
 * Prefixes in one slot beyond which the table is rehashed with another seed. There is at least one slot a
 * prefix, so chance alone never fills a slot this much.
 */
export const CHAIN_MAX = 32;

/**
 * Evidence of one thread beyond its image: rows by prefix, and the rows of the image that they hide. A hash
 * table over prefixes chains its slots, and each prefix chains its rows, all in columns of numbers. Lookups
 * probe only lengths that occur, and only where a coarse bitmap has a bit.
 */
export class Overlay {
  #seed: HashSeed;
  #hash: AddressHash;
  /**
   * A slot holds its newest prefix plus one, or 0; `#next` holds each prefix's predecessor in the slot
   * likewise.
   */
  #slots = new Int32Array(FEW_SLOTS);
  #shift = Math.clz32(FEW_SLOTS - 1);
  #next = new Int32Array(256);
  /**
   * Prefixes required before the next reseed: doubled each time, so that reseeding never costs more than
   * adding did.
   */
  #reseedFrom = 0;
  #keys = new Uint32Array(KEY_WORDS * 256);
  #first = new Int32Array(256);
  #count = 0;
  #chosen = 0;
  readonly #rows = new OverlayRows();
  readonly #lengths: Record<4 | 6, number[]> = { 4: [], 6: [] };
  /** Marks the first 16 bits of an address where a prefix lies. */
  readonly #touched: Record<4 | 6, Uint8Array> = { 4: new Uint8Array(65_536), 6: new Uint8Array(65_536) };

  readonly found = new Int32Array(130);

  /** @param seed random, because publishers choose prefixes */
  constructor(seed: HashSeed) {
    this.#seed = seed;
    this.#hash = new AddressHash(seed);
  }

  get size(): number {
    return this.#count;
  }

  get rows(): OverlayRows {
    return this.#rows;
  }

  /** Chooses, and holds from here on, the prefix that `add`, `clear` and `end` change. */
  at(family: 4 | 6, w0: number, w1: number, w2: number, w3: number, bits: number): void {
    this.#chosen = this.#entry(family, w0, w1, w2, w3, bits);
  }

  apply(op: number, source: number, type: number, pool: number, capturedAt: number, days: number): void {
    if (op === ROW_OP.clear) {
      this.clear(source);
      return;
    }
    if (op === ROW_OP.ended) this.end(source, type, pool);
    this.add(op === ROW_OP.following ? ROW_OP.following : ROW_OP.fixed, source, type, pool, capturedAt, days);
  }

  /** A row of equal op, source, type and pool unites with it. @param op ROW_OP.fixed or ROW_OP.following */
  add(op: number, source: number, type: number, pool: number, capturedAt: number, days: number): void {
    const chosen = this.#chosen;
    this.#first[chosen] = this.#rows.add(this.#first[chosen]!, op, source, type, pool, capturedAt, days);
  }

  clear(source: number): void {
    this.#first[this.#chosen] = this.#rows.clear(this.#first[this.#chosen]!, source);
  }

  end(source: number, type: number, pool: number): void {
    this.#first[this.#chosen] = this.#rows.end(this.#first[this.#chosen]!, source, type, pool);
  }

  match(address: Address): number {
    const { family, w0, w1, w2, w3 } = address;
    if (!this.touches(family, w0)) return 0;
    const lengths = this.#lengths[family];
    let count = 0;
    for (let i = 0; i < lengths.length; i++) {
      const bits = lengths[i]!;
      const at = this.#find(
        family,
        (w0 & wordMask(bits)) >>> 0,
        (w1 & wordMask(bits - 32)) >>> 0,
        (w2 & wordMask(bits - 64)) >>> 0,
        (w3 & wordMask(bits - 96)) >>> 0,
        bits,
      );
      if (at >= 0) this.found[count++] = at;
    }
    return count;
  }

  touches(family: 4 | 6, w0: number): boolean {
    return this.#touched[family][w0 >>> 16] !== 0;
  }

  bitsOf(entry: number): number {
    return this.#keys[KEY_WORDS * entry + 4]! & 0xff;
  }

  familyOf(entry: number): 4 | 6 {
    return this.#keys[KEY_WORDS * entry + 4]! >>> 8 === 4 ? 4 : 6;
  }

  wordOf(entry: number, word: number): number {
    return this.#keys[KEY_WORDS * entry + word]!;
  }

  has(family: 4 | 6, w0: number, w1: number, w2: number, w3: number, bits: number): boolean {
    return this.#find(family, w0, w1, w2, w3, bits) >= 0;
  }

  firstRow(entry: number): number {
    return this.#first[entry]!;
  }

  hides(count: number, bits: number, source: number, type: number, pool: number, following: boolean): boolean {
    for (let i = 0; i < count; i++) {
      const entry = this.found[i]!;
      if (this.bitsOf(entry) === bits) return this.#rows.hides(this.#first[entry]!, source, type, pool, following);
    }
    return false;
  }

  get longestChain(): number {
    let longest = 0;
    for (const first of this.#slots) longest = Math.max(longest, this.#chainLength(first));
    return longest;
  }

  #find(family: number, w0: number, w1: number, w2: number, w3: number, bits: number): number {
    const keys = this.#keys;
    const next = this.#next;
    const tag = (family << 8) | bits;
    for (let at = this.#slots[this.#hash.prefix(w0, w1, w2, w3, tag) >>> this.#shift]!; at > 0; at = next[at - 1]!) {
      const k = KEY_WORDS * (at - 1);
      if (keys[k] === w0 && keys[k + 1] === w1 && keys[k + 2] === w2 && keys[k + 3] === w3 && keys[k + 4] === tag)
        return at - 1;
    }
    return -1;
  }

  #entry(family: 4 | 6, w0: number, w1: number, w2: number, w3: number, bits: number): number {
    const found = this.#find(family, w0, w1, w2, w3, bits);
    if (found >= 0) return found;
    const entry = this.#count++;
    if (KEY_WORDS * this.#count > this.#keys.length) this.#keys = grown(this.#keys);
    if (this.#count > this.#next.length) {
      this.#next = grown(this.#next);
      this.#first = grown(this.#first);
    }
    const k = KEY_WORDS * entry;
    this.#keys[k] = w0;
    this.#keys[k + 1] = w1;
    this.#keys[k + 2] = w2;
    this.#keys[k + 3] = w3;
    this.#keys[k + 4] = (family << 8) | bits;
    if (this.#count > this.#slots.length) this.#rehash(Math.max(SLOTS, 2 * this.#slots.length));
    else this.#link(entry);
    this.#noteLength(family, bits);
    const first = w0 >>> 16;
    if (bits >= 16) this.#touched[family][first] = 1;
    else this.#touched[family].fill(1, first, first + 2 ** (16 - bits));
    return entry;
  }

  #noteLength(family: 4 | 6, bits: number): void {
    const lengths = this.#lengths[family];
    if (lengths.includes(bits)) return;
    lengths.push(bits);
    lengths.sort((a, b) => b - a);
  }

  /** Adds a prefix to its slot. A slot that becomes too full shows that the seed is bad for these prefixes. */
  #link(entry: number): void {
    const slot = this.#slotOf(entry);
    this.#next[entry] = this.#slots[slot]!;
    this.#slots[slot] = entry + 1;
    if (this.#next[entry] === 0 || this.#count < this.#reseedFrom || this.#chainLength(entry + 1) <= CHAIN_MAX) return;
    this.#reseedFrom = 2 * this.#count;
    this.#seed = nextSeed(this.#seed);
    this.#hash = new AddressHash(this.#seed);
    this.#rehash(this.#slots.length);
  }

  #rehash(slots: number): void {
    this.#slots = new Int32Array(slots);
    this.#shift = Math.clz32(slots - 1);
    for (let entry = 0; entry < this.#count; entry++) {
      const slot = this.#slotOf(entry);
      this.#next[entry] = this.#slots[slot]!;
      this.#slots[slot] = entry + 1;
    }
  }

  #slotOf(entry: number): number {
    const keys = this.#keys;
    const k = KEY_WORDS * entry;
    return this.#hash.prefix(keys[k]!, keys[k + 1]!, keys[k + 2]!, keys[k + 3]!, keys[k + 4]!) >>> this.#shift;
  }

  #chainLength(first: number): number {
    let length = 0;
    for (let at = first; at > 0; at = this.#next[at - 1]!) length++;
    return length;
  }
}
