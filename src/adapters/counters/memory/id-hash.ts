import { HalfSipHash } from '../../../core/kit/half-sip-hash.ts';

/**
 * Keyed hash of the names of counters. Callers choose part of the hashed text (an IPv6 client has 2^64
 * neighbours), and the key keeps an attacker from aiming two clients at one counter. Neither half is ever 0,
 * because 0 means a free slot in the table.
 */
export class IdHash {
  h1 = 0;
  h2 = 0;
  readonly #hash: HalfSipHash;
  #words = new Int32Array(64);
  #text = '';
  #otherText = '';
  #otherH1 = 0;
  #otherH2 = 0;

  /** @param seed 8 bytes, the same for all threads that read or write a ledger */
  constructor(seed: Uint8Array) {
    const view = new DataView(seed.buffer, seed.byteOffset, 8);
    this.#hash = new HalfSipHash(view.getInt32(0, true), view.getInt32(4, true));
  }

  update(text: string): void {
    if (text === this.#text && this.h1 !== 0) return;
    const [known, knownH1, knownH2] = [this.#otherText, this.#otherH1, this.#otherH2];
    this.#otherText = this.#text;
    this.#otherH1 = this.h1;
    this.#otherH2 = this.h2;
    this.#text = text;
    if (text === known && knownH1 !== 0) {
      this.h1 = knownH1;
      this.h2 = knownH2;
    } else this.#compute(text);
  }

  #compute(text: string): void {
    const { length } = text;
    const count = (length + 2) >> 1;
    if (count > this.#words.length) this.#words = new Int32Array(2 * count);
    for (let i = 0; i < count; i++) {
      const at = 2 * i;
      const low = at < length ? text.charCodeAt(at) : 0xffff;
      const high = at + 1 < length ? text.charCodeAt(at + 1) : length & 0xffff;
      this.#words[i] = (high << 16) | low;
    }
    this.#hash.update(this.#words, count);
    this.h1 = this.#hash.h1 || 1;
    this.h2 = this.#hash.h2 || 1;
  }
}
