import { Recent } from '../../kit/recent.ts';
import type { UnixMs } from '../../units.ts';

const ADDRESSES_MAX = 100_000;

/** Counts distinct things of an address within a window; the `least`-th and each later one counts. */
export class DistinctCounter {
  readonly #least: number;
  readonly #windowMs: number;
  readonly #things = new Recent<string, Map<string | number, number>>(ADDRESSES_MAX);
  #serial = 0;

  constructor(least: number, windowMs: number) {
    this.#least = least;
    this.#windowMs = windowMs;
  }

  /** @param thing a short text; without it the thing is distinct from all others @returns whether it counts */
  add(ip: string, at: UnixMs, thing?: string): boolean {
    const key = thing ?? this.#serial++;
    const things = this.#things.get(ip) ?? new Map<string | number, number>();
    things.delete(key);
    things.set(key, at);
    for (const [one, time] of things) if (at - time >= this.#windowMs || things.size > this.#least) things.delete(one);
    this.#things.set(ip, things);
    return things.size >= this.#least;
  }
}
