/** Spins before a thread sleeps, because the owner may have lost its CPU. */
const SPINS_MAX = 200;

/**
 * A lock between threads of one process in one cell of shared memory, which holds the number of its owner, or
 * 0.
 */
export class SharedLock {
  readonly #cells: Int32Array;
  readonly #cell: number;
  readonly #owner: number;

  /** @param owner positive number of this thread, unique in the process */
  constructor(cells: Int32Array, cell: number, owner: number) {
    this.#cells = cells;
    this.#cell = cell;
    this.#owner = owner;
  }

  run<T>(work: () => T): T {
    const cells = this.#cells;
    for (let spins = 0; Atomics.compareExchange(cells, this.#cell, 0, this.#owner) !== 0; spins++)
      if (spins > SPINS_MAX) Atomics.wait(cells, this.#cell, Atomics.load(cells, this.#cell) || -1, 1);
    try {
      return work();
    } finally {
      Atomics.store(cells, this.#cell, 0);
      Atomics.notify(cells, this.#cell, 1);
    }
  }

  /** Frees the lock if a thread that has died holds it. Another thread calls this. */
  releaseOf(owner: number): void {
    if (Atomics.compareExchange(this.#cells, this.#cell, owner, 0) === owner) Atomics.notify(this.#cells, this.#cell);
  }
}
