/**
 * HalfSipHash-2-4 with 64 bits of output (Aumasson, Bernstein: SipHash; half-width variant of the reference
 * implementation). Callers choose part of the hashed text (an IPv6 client has 2^64 neighbours), so the hash
 * is keyed: an attacker cannot aim two clients at one counter.
 *
 * An instance keeps the last result in `h1` and `h2`, so that a lookup allocates nothing. Neither half is
 * ever 0, because 0 means a free slot in the table.
 */
export class IdHash {
  h1 = 0;
  h2 = 0;
  readonly #k0: number;
  readonly #k1: number;
  /**
   * Caches the last two texts and their hashes. A charge asks for at most two, key and account, up to three
   * times each.
   */
  #text = '';
  #otherText = '';
  #otherH1 = 0;
  #otherH2 = 0;

  /** @param seed 8 bytes, the same for all threads that read or write a ledger */
  constructor(seed: Uint8Array) {
    const view = new DataView(seed.buffer, seed.byteOffset, 8);
    this.#k0 = view.getInt32(0, true);
    this.#k1 = view.getInt32(4, true);
  }

  /** Hashes UTF-16 code units, two per word. */
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
    const length = text.length;
    let v0 = this.#k0;
    let v1 = this.#k1 ^ 0xee;
    let v2 = this.#k0 ^ 0x6c796765;
    let v3 = this.#k1 ^ 0x74656462;
    const words = (length + 2) >> 1;
    for (let i = 0; i < words; i++) {
      const at = 2 * i;
      const low = at < length ? text.charCodeAt(at) : 0xffff;
      const high = at + 1 < length ? text.charCodeAt(at + 1) : length & 0xffff;
      const m = (high << 16) | low;
      v3 ^= m;
      for (let round = 0; round < 2; round++) {
        v0 = (v0 + v1) | 0;
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
        v0 = (v0 << 16) | (v0 >>> 16);
        v2 = (v2 + v3) | 0;
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
        v0 = (v0 + v3) | 0;
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
        v2 = (v2 + v1) | 0;
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
        v2 = (v2 << 16) | (v2 >>> 16);
      }
      v0 ^= m;
    }
    v2 ^= 0xee;
    for (let half = 0; half < 2; half++) {
      for (let round = 0; round < 4; round++) {
        v0 = (v0 + v1) | 0;
        v1 = ((v1 << 5) | (v1 >>> 27)) ^ v0;
        v0 = (v0 << 16) | (v0 >>> 16);
        v2 = (v2 + v3) | 0;
        v3 = ((v3 << 8) | (v3 >>> 24)) ^ v2;
        v0 = (v0 + v3) | 0;
        v3 = ((v3 << 7) | (v3 >>> 25)) ^ v0;
        v2 = (v2 + v1) | 0;
        v1 = ((v1 << 13) | (v1 >>> 19)) ^ v2;
        v2 = (v2 << 16) | (v2 >>> 16);
      }
      const out = (v1 ^ v3) | 0 || 1;
      if (half === 0) this.h1 = out;
      else this.h2 = out;
      v1 ^= 0xdd;
    }
  }
}
