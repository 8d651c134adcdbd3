import { fieldValue } from '../fields/field-value.ts';
import type { Address } from '../ip/address.ts';
import type { LineReader } from '../logs/line-reader.ts';
import { HashCache } from './hash-cache.ts';
import { SuffixStore } from './suffix-store.ts';
import type { SuffixText } from './suffix-text.ts';

/** A number from here is valid until the next call. */
export interface Suffixes {
  readonly store: SuffixStore;
  numberOf(address: Address, record?: Pick<LineReader, 'time'>): number;
}

export interface VerdictsAtHand {
  /** Returns the body of the lookup, or `{ip, error: {code}}`. */
  documentOf(address: Address): object;
  /**
   * Returns whether the address is in a class, whose documents agree in all requested fields except `ip`.
   * `classWords` then identifies the class until the next call.
   */
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
