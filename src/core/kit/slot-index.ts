/**
 * Finds numbers by hash: open addressing with linear probing, at most half full. It holds numbers from 1 on
 * without keys, so the owner compares:
 *
 *   for (let id = index.first(hash); id !== 0; id = index.next()) if (isSame(id)) return id;
 *   index.add(hash, id);
 */
export class SlotIndex {
  readonly #hashOf: (id: number) => number;
  #slots: Uint32Array;
  #mask: number;
  #at = 0;
  #count = 0;

  /** @param hashOf must have well-distributed low bits @param expected numbers that fit without growing */
  constructor(hashOf: (id: number) => number, expected = 512) {
    this.#hashOf = hashOf;
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * expected + 2)));
    this.#mask = this.#slots.length - 1;
  }

  first(hash: number): number {
    this.#at = hash & this.#mask;
    return this.#slots[this.#at]!;
  }

  next(): number {
    this.#at = (this.#at + 1) & this.#mask;
    return this.#slots[this.#at]!;
  }

  /** @param id must not be in the index yet */
  add(hash: number, id: number): void {
    if (2 * ++this.#count > this.#slots.length) this.#grow();
    this.#put(hash, id);
  }

  #put(hash: number, id: number): void {
    const slots = this.#slots;
    const mask = this.#mask;
    let at = hash & mask;
    while (slots[at] !== 0) at = (at + 1) & mask;
    slots[at] = id;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Uint32Array(2 * before.length);
    this.#mask = this.#slots.length - 1;
    for (const id of before) if (id !== 0) this.#put(this.#hashOf(id), id);
  }
}
