import { Recent } from '../../kit/recent.ts';
import type { UnixMs } from '../../units.ts';

/** Addresses remembered at once. */
const ADDRESSES_MAX = 100_000;

/** Only from the `least`-th distinct thing of one address within a window does one count, then each time. */
export class DistinctCounter {
  readonly #least: number;
  readonly #windowMs: number;
  /** The newest distinct things of each address with their times, oldest first. */
  readonly #things = new Recent<string, Map<string | number, number>>(ADDRESSES_MAX);
  #serial = 0;

  /** @param least 1: everything counts */
  constructor(least: number, windowMs: number) {
    this.#least = least;
    this.#windowMs = windowMs;
  }

  /** Notes one. @param thing a short text; left out for one that is distinct from all others @returns whether it counts */
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
