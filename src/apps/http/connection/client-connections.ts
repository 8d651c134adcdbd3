import { hash } from 'node:crypto';

/** Clients that share a counter are counted together, so there are many more counters than connections. */
const COUNTERS = 2 ** 16;
const THREAD_BYTES = COUNTERS * Uint16Array.BYTES_PER_ELEMENT;

export interface SharedConnections {
  readonly memory: SharedArrayBuffer;
  /** A random seed keeps callers from choosing addresses that share a counter. */
  readonly seed: string;
}

export const sharedConnections = (threads: number, seed: string): SharedConnections => ({
  memory: new SharedArrayBuffer(threads * THREAD_BYTES),
  seed,
});

/**
 * Counts open connections per client over all threads of a process. Each thread writes only its own counters
 * and reads all, so there is no lock, and a dead thread's successor clears them. Two threads that admit at
 * the same moment may admit one connection too many.
 */
export class ClientConnections {
  readonly #counters: Uint16Array;
  readonly #own: number;
  readonly #seed: string;

  constructor({ memory, seed }: SharedConnections, slot: number) {
    this.#counters = new Uint16Array(memory);
    this.#own = slot * COUNTERS;
    this.#seed = seed;
    this.#counters.fill(0, this.#own, this.#own + COUNTERS);
  }

  /**
   * Counts one more connection of the client, unless it has `max`.
   * @returns the function that ends it, or undefined where it was refused
   */
  open(client: string, max: number): (() => void) | undefined {
    const counters = this.#counters;
    const counter = Number.parseInt(hash('sha256', this.#seed + client).slice(0, 4), 16);
    let open = 0;
    for (let at = counter; at < counters.length; at += COUNTERS) open += counters[at]!;
    if (open >= max) return undefined;
    const own = this.#own + counter;
    counters[own]! += 1;
    return () => {
      counters[own]! -= 1;
    };
  }
}
