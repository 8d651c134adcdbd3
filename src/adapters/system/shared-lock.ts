/** The owner may have lost its CPU, so a thread stops spinning and sleeps. */
const SPINS_MAX = 200;

/**
 * A lock between threads of one process. One cell of shared memory holds its owner's number, or 0 while it is
 * free.
 */
export class SharedLock {
  readonly #cells: Int32Array;
  readonly #cell: number;
  readonly #owner: number;

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

  /** Another thread calls this to free the lock of a thread that has died. */
  releaseOf(owner: number): void {
    if (Atomics.compareExchange(this.#cells, this.#cell, owner, 0) === owner) Atomics.notify(this.#cells, this.#cell);
  }
}
