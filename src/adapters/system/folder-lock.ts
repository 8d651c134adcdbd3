import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';

const SQLITE_BUSY = 5;
const RETRY_MS = 100;

export interface FolderLock {
  release(): void;
}

/**
 * Locks a folder for this process. The lock belongs to the kernel (SQLite takes it on its own file), so it
 * ends with the process in any case, and a leftover file locks nothing.
 * @param waitMs how long to wait for a process that is just stopping
 * @returns undefined if another process still holds it
 */
export async function lockFolder(folder: string, waitMs: number): Promise<FolderLock | undefined> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const until = performance.now() + waitMs; ; await setTimeout(RETRY_MS)) {
    const lock = tryLock(join(folder, 'lock'));
    if (lock !== undefined || performance.now() >= until) return lock;
  }
}

function tryLock(path: string): FolderLock | undefined {
  const file = new DatabaseSync(path);
  try {
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
  return { release: () => file.close() };
}

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

  releaseOf(owner: number): void {
    if (Atomics.compareExchange(this.#cells, this.#cell, owner, 0) === owner) Atomics.notify(this.#cells, this.#cell);
  }
}
