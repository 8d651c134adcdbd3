import { availableParallelism } from 'node:os';
import type { HashGate, HashPlace } from '../../../service/accounts/password.ts';

const QUEUE = 32;
/** Half of the processors hash, so that the others answer lookups. */
const AT_ONCE = Math.max(1, Math.floor(availableParallelism() / 2));
/** A waiting thread tries again even if nobody woke it, because the thread that held the room may have died. */
const LOOK_AGAIN_MS = 1000;

/**
 * Cell 0 counts releases; then come the rooms and the waiting places, each with the number of its owner, or 0
 * when free.
 */
const TURN = 0;
const FIRST_ROOM = 1;

export const createHashGateMemory = (atOnce = AT_ONCE, queue = QUEUE): SharedArrayBuffer =>
  new SharedArrayBuffer(4 * (FIRST_ROOM + atOnce + atOnce + queue));

/**
 * A semaphore over the threads of a process; its cells name their owners, so that a dead thread's can be
 * freed.
 */
export class SharedHashGate implements HashGate {
  readonly #cells: Int32Array;
  readonly #owner: number;
  readonly #firstPlace: number;

  constructor(memory: SharedArrayBuffer, owner: number, queue = QUEUE) {
    this.#cells = new Int32Array(memory);
    this.#owner = owner;
    this.#firstPlace = FIRST_ROOM + (this.#cells.length - FIRST_ROOM - queue) / 2;
  }

  enter(): HashPlace | undefined {
    const place = this.#hold(this.#firstPlace, this.#cells.length);
    if (place === undefined) return undefined;
    return {
      run: (work) => this.#run(work),
      leave: () => void Atomics.compareExchange(this.#cells, place, this.#owner, 0),
    };
  }

  releaseOf(owner: number): void {
    for (let cell = FIRST_ROOM; cell < this.#cells.length; cell++) Atomics.compareExchange(this.#cells, cell, owner, 0);
    this.#wake();
  }

  async #run<Result>(work: () => Promise<Result>): Promise<Result> {
    const room = await this.#room();
    try {
      return await work();
    } finally {
      Atomics.store(this.#cells, room, 0);
      this.#wake();
    }
  }

  async #room(): Promise<number> {
    for (;;) {
      const turn = Atomics.load(this.#cells, TURN);
      const room = this.#hold(FIRST_ROOM, this.#firstPlace);
      if (room !== undefined) return room;
      const { async, value } = Atomics.waitAsync(this.#cells, TURN, turn, LOOK_AGAIN_MS);
      if (async) await value;
    }
  }

  #hold(from: number, to: number): number | undefined {
    for (let cell = from; cell < to; cell++)
      if (Atomics.compareExchange(this.#cells, cell, 0, this.#owner) === 0) return cell;
    return undefined;
  }

  #wake(): void {
    Atomics.add(this.#cells, TURN, 1);
    Atomics.notify(this.#cells, TURN);
  }
}
