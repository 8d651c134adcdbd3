import { fieldValue } from '../fields/field-value.ts';
import type { Address } from '../ip/address.ts';
import type { LineReader } from '../logs/line-reader.ts';
import { SuffixStore } from './suffix-store.ts';
import type { SuffixText } from './suffix-text.ts';

const SLOT_BITS_FIRST = 10;
const SLOT_BITS_MAX = 19;

/**
 * Stores numbers under keys of a few words. Each key has a single place, which bounds the memory; a newer key
 * overwrites it.
 */
class HashCache {
  readonly #keyWords: number;
  #slotBits = SLOT_BITS_FIRST;
  /** A place holds the key and its number + 1; 0 means that the place is free. */
  #slots: Uint32Array;
  #count = 0;

  constructor(keyWords: number) {
    this.#keyWords = keyWords;
    this.#slots = new Uint32Array((keyWords + 1) * 2 ** SLOT_BITS_FIRST);
  }

  get(key: Uint32Array): number {
    const at = this.#placeOf(key);
    const slots = this.#slots;
    const end = at + this.#keyWords;
    for (let i = at; i < end; i++) if (slots[i] !== key[i - at]) return -1;
    return slots[end]! - 1;
  }

  set(key: Uint32Array, number: number): void {
    if (++this.#count > 2 ** (this.#slotBits - 1) && this.#slotBits < SLOT_BITS_MAX) this.#grow();
    this.#put(key, number + 1);
  }

  clear(): void {
    this.#slots.fill(0);
  }

  #put(key: Uint32Array, entry: number): void {
    const at = this.#placeOf(key);
    const end = at + this.#keyWords;
    for (let i = at; i < end; i++) this.#slots[i] = key[i - at]!;
    this.#slots[end] = entry;
  }

  #grow(): void {
    const before = this.#slots;
    const width = this.#keyWords + 1;
    this.#slotBits = Math.min(SLOT_BITS_MAX, this.#slotBits + 2);
    this.#count = 0;
    this.#slots = new Uint32Array(width * 2 ** this.#slotBits);
    for (let at = 0; at < before.length; at += width) {
      const entry = before[at + width - 1]!;
      if (entry !== 0) this.#put(before.subarray(at, at + width - 1), entry);
    }
  }

  #placeOf(key: Uint32Array): number {
    let hash = 0;
    for (let i = 0; i < this.#keyWords; i++) hash = Math.imul(hash ^ (hash >>> 15) ^ key[i]!, 0x9e37_79b1);
    return (this.#keyWords + 1) * ((hash ^ (hash >>> 16)) >>> (32 - this.#slotBits));
  }
}

/** A number from here is valid until the next call. */
export interface Suffixes {
  readonly store: SuffixStore;
  numberOf(address: Address, record?: Pick<LineReader, 'time'>): number;
}

/**
 * - `documentOf`: returns the body of the lookup, or `{ip, error: {code}}`.
 * - `isInClass`: returns whether the address is in a class, whose documents agree in all requested fields except
 *   `ip`. `classWords` then identifies the class until the next call.
 */
export interface VerdictsAtHand {
  documentOf(address: Address): object;
  isInClass(address: Address): boolean;
  readonly classWords: Uint32Array;
}

const STORE_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Makes the suffix of each address. A document is made once for all addresses of a class, and remembered for
 * addresses that return.
 */
export class VerdictSuffixes implements Suffixes {
  readonly store = new SuffixStore();
  readonly #verdicts: VerdictsAtHand;
  readonly #text: SuffixText;
  readonly #usesClasses: boolean;
  readonly #addresses = new HashCache(1);
  #addresses6: HashCache | undefined;
  readonly #words = new Uint32Array(4);
  readonly #classes = new HashCache(2);

  /** @param usesClasses false where the text contains the address */
  constructor(verdicts: VerdictsAtHand, text: SuffixText, usesClasses: boolean) {
    this.#verdicts = verdicts;
    this.#text = text;
    this.#usesClasses = usesClasses;
  }

  numberOf(address: Address): number {
    const words = this.#words;
    words[0] = address.w0;
    if (address.family === 4) return this.#find(this.#addresses, address);
    words[1] = address.w1;
    words[2] = address.w2;
    words[3] = address.w3;
    this.#addresses6 ??= new HashCache(4);
    return this.#find(this.#addresses6, address);
  }

  #find(cache: HashCache, address: Address): number {
    const known = cache.get(this.#words);
    if (known >= 0) return known;
    if (this.store.size > STORE_MAX_BYTES) this.#forget();
    const number = this.#byClass(address);
    cache.set(this.#words, number);
    return number;
  }

  #byClass(address: Address): number {
    const { classWords } = this.#verdicts;
    if (!this.#usesClasses || !this.#verdicts.isInClass(address)) return this.#make(address);
    const known = this.#classes.get(classWords);
    if (known >= 0) return known;
    const number = this.#make(address);
    this.#classes.set(classWords, number);
    return number;
  }

  #make(address: Address): number {
    const document = this.#verdicts.documentOf(address);
    return this.store.add(this.#text(document), isRefused(document));
  }

  #forget(): void {
    this.store.clear();
    this.#addresses.clear();
    this.#addresses6 = undefined;
    this.#classes.clear();
  }
}

export const isRefused = (document: object): boolean => fieldValue(document, 'error.code') !== undefined;
