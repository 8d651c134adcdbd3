import type { UnixMs } from '../../units.ts';
import { OldestEntries } from '../oldest-entries.ts';

/** Addresses remembered at once; past them the one that was silent longest is forgotten. */
const ADDRESSES_MAX = 100_000;

/**
 * Separates attempts at credentials from slips of a person who has an account: only from the `least`-th attempt of one address within a window on does one count. An
 * address that goes on counts each time.
 */
export class AttemptCounter {
  readonly #least: number;
  readonly #windowMs: number;
  /** The newest attempts of each address, oldest first; in the order of their newest. */
  readonly #times = new Map<string, number[]>();
  readonly #oldest = new OldestEntries(this.#times);

  /** @param least 1 for a host that has no users, such as a honeypot */
  constructor(least: number, windowMs: number) {
    this.#least = least;
    this.#windowMs = windowMs;
  }

  /** Notes an attempt. @returns whether it counts */
  add(ip: string, at: UnixMs): boolean {
    const times = (this.#times.get(ip) ?? []).filter((one) => at - one < this.#windowMs);
    times.push(at);
    this.#times.delete(ip);
    this.#times.set(ip, times.slice(-this.#least));
    if (this.#times.size > ADDRESSES_MAX) this.#times.delete(this.#oldest.next()![0]);
    return times.length >= this.#least;
  }
}
