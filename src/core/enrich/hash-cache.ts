const SLOT_BITS_FIRST = 10;
const SLOT_BITS_MAX = 19;

/**
 * Stores numbers under keys of a few words. Each key has a single place, which bounds the memory; a newer key
 * overwrites it.
 */
export class HashCache {
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
