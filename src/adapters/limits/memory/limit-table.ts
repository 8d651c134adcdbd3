/**
 * Counters with windows of their own: a hash table of fixed size in shared memory, which every thread reads
 * and changes with Atomics.
 *
 *   header (64 bytes)   Int32 0: lock (owner, 0 = free)
 *   slot   (16 bytes)   key: keyed hash of the counter's name, 0 = never used
 *                       state: end of the window (ms since 1970) << 20 | count
 *
 * - A key is searched in 16 slots starting at its hash. State is one word, so a window and its count change
 *   together by compare-and-exchange.
 * - A new key takes a free slot or one whose window has ended, under a lock, so that no key ever gets two.
 *   The lock names its owner: when a thread dies inside, `releaseOf` of the lock frees it.
 * - A narrow counter gets no slot where more than half of the 16 are in use; a wider counter bounds the same
 *   callers.
 * - When all 16 are in use, late keys share one of 1024 further slots, chosen by hash. Sharing can refuse too
 *   early, never too late.
 */

import type { Limit } from '../../../core/limits/limits.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import { SharedLock } from '../../system/folder-lock.ts';

const HEADER_BYTES = 64;
const SLOT = 2;
const STATE = 1;
const PROBES = 16;
const CROWDED = PROBES / 2;
const SHARED_SLOTS = 1024;
const COUNT_BITS = 20n;
const COUNT_MASK = (1n << COUNT_BITS) - 1n;
/** A later end was written before the clock was set back. */
const LONGEST_WINDOW_MS = DAY_MS;

export const limitTableBytes = (slots: number): number => HEADER_BYTES + 8 * SLOT * (slots + SHARED_SLOTS);

export class LimitTable {
  readonly lock: SharedLock;
  readonly #cells: BigUint64Array;
  readonly #slots: number;

  constructor(memory: SharedArrayBuffer, owner: number) {
    this.lock = new SharedLock(new Int32Array(memory, 0, HEADER_BYTES / 4), 0, owner);
    this.#cells = new BigUint64Array(memory, HEADER_BYTES);
    this.#slots = this.#cells.length / SLOT - SHARED_SLOTS;
  }

  /**
   * Counts one unit under the key with these two hash halves.
   * @param narrow allows the unit to go uncounted where slots are short
   * @returns undefined if it was counted, false if it was skipped; otherwise the end of the full window
   */
  take(h1: number, h2: number, limit: Limit, at: UnixMs, narrow: boolean): UnixMs | undefined | false {
    const slot = this.#slotFor(h1, h2, at, narrow);
    return slot >= 0 && this.#count(slot, limit, at);
  }

  giveBack(h1: number, h2: number, at: UnixMs): void {
    let slot = this.#find(h1, keyOf(h1, h2));
    if (slot < 0) slot = this.#sharedSlot(h1);
    for (;;) {
      const state = Atomics.load(this.#cells, slot + STATE);
      if (endOf(state) <= at || countOf(state) === 0) return;
      if (Atomics.compareExchange(this.#cells, slot + STATE, state, state - 1n) === state) return;
    }
  }

  #count(slot: number, { most, windowMs }: Limit, at: UnixMs): UnixMs | undefined {
    const cells = this.#cells;
    for (;;) {
      const state = Atomics.load(cells, slot + STATE);
      const isOpen = endOf(state) > at;
      // An end more than one window ahead means that the clock was set back; the count then stays for one
      // more window.
      const end = isOpen ? Math.min(endOf(state), at + windowMs) : at + windowMs;
      const used = isOpen ? countOf(state) : 0;
      const isFull = used >= most;
      const next = stateOf(end, isFull ? used : used + 1);
      if (next === state || Atomics.compareExchange(cells, slot + STATE, state, next) === state)
        return isFull ? unixMs(end) : undefined;
    }
  }

  #find(h1: number, key: bigint): number {
    for (let probe = 0; probe < PROBES; probe++) {
      const slot = this.#slotAt(h1, probe);
      if (Atomics.load(this.#cells, slot) === key) return slot;
    }
    return -1;
  }

  #slotFor(h1: number, h2: number, at: UnixMs, narrow: boolean): number {
    const key = keyOf(h1, h2);
    const found = this.#find(h1, key);
    return found >= 0 ? found : this.lock.run(() => this.#insertLocked(h1, key, at, narrow));
  }

  #insertLocked(h1: number, key: bigint, at: UnixMs, narrow: boolean): number {
    let free = -1;
    let inUse = 0;
    for (let probe = PROBES - 1; probe >= 0; probe--) {
      const slot = this.#slotAt(h1, probe);
      if (this.#cells[slot] === key) return slot;
      if (isInUse(Atomics.load(this.#cells, slot + STATE), at)) inUse++;
      else free = slot;
    }
    if (narrow && inUse > CROWDED) return -1;
    if (free < 0) return this.#sharedSlot(h1);
    // Clears the count first: it may belong to another key's window from a time when the clock was ahead.
    Atomics.store(this.#cells, free + STATE, 0n);
    Atomics.store(this.#cells, free, key);
    return free;
  }

  #slotAt(h1: number, probe: number): number {
    return SLOT * ((h1 + probe) & (this.#slots - 1));
  }

  #sharedSlot(h1: number): number {
    return SLOT * (this.#slots + ((h1 >>> 22) & (SHARED_SLOTS - 1)));
  }
}

const keyOf = (h1: number, h2: number): bigint => (BigInt(h1 >>> 0) << 32n) | BigInt(h2 >>> 0);
const stateOf = (end: number, count: number): bigint => (BigInt(end) << COUNT_BITS) | BigInt(count);
const endOf = (state: bigint): number => Number(state >> COUNT_BITS);
const countOf = (state: bigint): number => Number(state & COUNT_MASK);
const isInUse = (state: bigint, at: UnixMs): boolean => endOf(state) > at && endOf(state) <= at + LONGEST_WINDOW_MS;
