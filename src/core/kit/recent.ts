/**
 * A bounded map that keeps recently used entries, in two generations: a hit in the old one moves to the young
 * one. When the young one is full it becomes the old one, and the old one is dropped. A hit costs one lookup;
 * an exact order of use would cost a delete and an insert.
 */
export class Recent<Key, Value> {
  readonly #half: number;
  readonly #dropped: (value: Value, key: Key) => void;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** @param capacity most entries @param dropped called for each entry that is dropped; may put it back */
  constructor(capacity: number, dropped: (value: Value, key: Key) => void = () => {}) {
    this.#half = Math.max(1, Math.floor(capacity / 2));
    this.#dropped = dropped;
  }

  get(key: Key): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) {
      this.#old.delete(key);
      this.set(key, old);
    }
    return old;
  }

  set(key: Key, value: Value): void {
    this.#old.delete(key);
    this.#young.set(key, value);
    if (this.#young.size < this.#half) return;
    const forgotten = this.#old;
    this.#old = this.#young;
    this.#young = new Map();
    for (const [key, value] of forgotten) this.#dropped(value, key);
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }

  clear(): void {
    this.#young.clear();
    this.#old.clear();
  }

  *values(): IterableIterator<Value> {
    yield* this.#young.values();
    yield* this.#old.values();
  }

  get size(): number {
    return this.#young.size + this.#old.size;
  }
}
