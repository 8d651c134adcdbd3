/**
 * Counters in one open-addressing table in shared memory, which every thread reads and changes with Atomics.
 *
 *   header (64 Int32)   0 lock (owner, 0 = free)   1 slots in use   2 segments in use
 *                       3 slots shared by overflow
 *   slot   (8 Int32)    0 h1   1 h2   2 day   3 used today   4 refunded today   5 minute   6 used this minute   7 unused
 *
 * - Slots lie in segments, each four times as large as the one before. A key is searched in a window of 32
 *   slots of the first segment, then of the second …; a free slot ends the search, since slots are never
 *   freed. Untouched memory is not committed by the system.
 * - A counter in its current day and minute is changed by compare-and-exchange: it takes units only while
 *   they fit.
 * - Everything rare (a new key, the first charge of a day or minute) happens under one lock, so no key ever
 *   gets two slots and no reset loses a charge. The lock names its owner: when a thread dies inside,
 *   `releaseOf` of the lock frees it.
 * - A slot whose day is older than yesterday, or was given up, may be given to another key under the lock.
 *   Its owner's next charge then takes the lock too.
 * - After the clock was set back, a slot may be on a day that was given up (core/quota/day.ts): it starts the
 *   present day with the earlier use. A minute further ahead than the next becomes the present one with its
 *   count: a step back gives no units back, and a used-up minute refuses no longer than until the next one
 *   ends.
 * - When more than half of the slots are used, the ledger counts new IPv6 clients under a wider key
 *   (`isCrowded`).
 * - When the table is full, late keys share one of 1024 overflow slots, chosen by hash. Sharing can refuse
 *   too early, never too late.
 */
import { CLOCK_BACK_DAYS_MAX } from '../../../core/quota/quota.ts';
import { SharedLock } from '../../system/folder-lock.ts';
import { SharesTable } from './shares-table.ts';

const HEADER = 64;
const LOCK = 0;
const USED_SLOTS = 1;
const SEGMENTS = 2;
const OVERFLOWING = 3;

const SLOT = 8;
const H1 = 0;
const H2 = 1;
const DAY = 2;
const USED = 3;
const REFUNDED = 4;
const MINUTE = 5;
const MINUTE_USED = 6;

const WINDOW = 32;
const OVERFLOW_SLOTS = 1024;
const COUNT_MAX = 0x7fff_ffff;

export interface TableShape {
  readonly firstSegment: number;
  readonly segments: number;
}

/**
 * 4096 + 16,384 + … + 4,194,304 = 5.6 million clients a day in at most 179 MB; the first segment takes 128
 * KiB.
 */
export const CLIENT_TABLE: TableShape = { firstSegment: 4096, segments: 6 };
/**
 * Accounts, keys and assistant families: 1.4 million in at most 45 MB. They are separate, so that no flood of
 * client addresses can crowd them out.
 */
export const ACCOUNT_TABLE: TableShape = { firstSegment: 4096, segments: 5 };

export const slotsOf = (shape: TableShape): number => (shape.firstSegment * (4 ** shape.segments - 1)) / 3;

export const tableBytes = (shape: TableShape): number => (HEADER + SLOT * (slotsOf(shape) + OVERFLOW_SLOTS)) * 4;

export interface Days {
  latest(): number;
  /**
   * Returns the use of a key on a day that its slot is about to start; undefined if there is none. It runs
   * outside the lock.
   */
  usedBefore(h1: number, h2: number, day: number): { readonly used: number; readonly refunded: number } | undefined;
}

const ONE_DAY: Days = { latest: () => 0, usedBefore: () => undefined };

export class CounterTable {
  readonly #cells: Int32Array;
  readonly #shape: TableShape;
  readonly lock: SharedLock;
  readonly #overflowAt: number;
  readonly #days: Days;
  readonly #shares: SharesTable | undefined;

  /**
   * @param memory zeroed when new
   * @param owner positive number of this thread, for the lock
   * @param shares memory of `SharesTable`, where counters are shared with other nodes
   */
  constructor(
    memory: SharedArrayBuffer,
    shape: TableShape,
    owner: number,
    days: Days = ONE_DAY,
    shares?: SharedArrayBuffer,
  ) {
    this.#shares = shares && new SharesTable(shares);
    this.#cells = new Int32Array(memory);
    this.#shape = shape;
    this.lock = new SharedLock(this.#cells, LOCK, owner);
    this.#overflowAt = HEADER + SLOT * slotsOf(shape);
    this.#days = days;
    Atomics.compareExchange(this.#cells, SEGMENTS, 0, 1);
  }

  /**
   * Returns the key's slot, inserted if it is new and started on `day`, so that no other key gets it today or
   * tomorrow.
   */
  slotFor(h1: number, h2: number, day: number): number {
    const found = this.#search(h1, h2);
    return found > 0 && Atomics.load(this.#cells, found + DAY) === day ? found : this.#newSlot(h1, h2, day);
  }

  // Separate from `slotFor`, as `#newMinute` is from `takeMinute`: a function that contains a closure
  // allocates on every call, even if it does not reach it.
  #newSlot(h1: number, h2: number, day: number): number {
    const before = this.#days.usedBefore(h1, h2, day);
    return this.lock.run(() => {
      const slot = this.#insertLocked(h1, h2, day);
      this.#startDay(slot, day, before?.used ?? 0, before?.refunded ?? 0);
      return slot;
    });
  }

  isHalfUsed(): boolean {
    return 2 * Atomics.load(this.#cells, USED_SLOTS) > slotsOf(this.#shape);
  }

  isCrowded(h1: number, h2: number, day: number): boolean {
    if (this.#search(h1, h2) > 0) return false;
    const size = this.#shape.firstSegment * 4 ** (this.#shape.segments - 1);
    const base = HEADER + SLOT * (slotsOf(this.#shape) - size);
    let inUse = 0;
    for (let i = 0; i < WINDOW; i++) {
      const at = base + SLOT * ((h1 + i) & (size - 1));
      if (Atomics.load(this.#cells, at + H1) !== 0 && !isOver(Atomics.load(this.#cells, at + DAY), day)) inUse++;
    }
    return 2 * inUse > WINDOW;
  }

  find(h1: number, h2: number): number {
    const found = this.#search(h1, h2);
    if (found > 0 || Atomics.load(this.#cells, OVERFLOWING) === 0) return found;
    const shared = this.#overflowSlot(h1);
    return Atomics.load(this.#cells, shared + H1) === 0 ? 0 : shared;
  }

  /** Takes units from the day of a slot. @returns the units used afterwards, or -1 - used if they do not fit */
  takeDay(slot: number, units: number, limit: number): number {
    return this.#take(slot + USED, units, limit);
  }

  /** Charges the clock minute, or the next one if the slot has begun it. @returns as `takeDay` */
  takeMinute(slot: number, minute: number, units: number, limit: number): number {
    if (!countsIn(Atomics.load(this.#cells, slot + MINUTE), minute)) this.#newMinute(slot, minute);
    return this.#take(slot + MINUTE_USED, units, limit);
  }

  minuteOf(slot: number): number {
    return Atomics.load(this.#cells, slot + MINUTE);
  }

  #newMinute(slot: number, minute: number): void {
    this.lock.run(() => this.#startMinute(slot, minute));
  }

  /**
   * Gives units back. `refund` marks a charge that was answered; otherwise the reservation is undone without
   * a trace. A closed day stays unchanged.
   */
  giveBackDay(slot: number, day: number, units: number, refund: boolean): boolean {
    return this.lock.run(() => {
      if (Atomics.load(this.#cells, slot + DAY) !== day) return false;
      Atomics.sub(this.#cells, slot + USED, units);
      if (refund) Atomics.add(this.#cells, slot + REFUNDED, units);
      return true;
    });
  }

  giveBackMinute(slot: number, minute: number, units: number): void {
    this.lock.run(() => {
      if (Atomics.load(this.#cells, slot + MINUTE) === minute) Atomics.sub(this.#cells, slot + MINUTE_USED, units);
    });
  }

  dayOf(slot: number): number {
    return Atomics.load(this.#cells, slot + DAY);
  }

  usage(slot: number): { readonly used: number; readonly refunded: number } {
    return { used: Atomics.load(this.#cells, slot + USED), refunded: Atomics.load(this.#cells, slot + REFUNDED) };
  }

  isShared(slot: number): boolean {
    return slot >= this.#overflowAt;
  }

  /** Calls `use` under the lock with the slot's row of `SharesTable`, unless the slot left the day. */
  withShares<T>(slot: number, day: number, use: (shares: SharesTable, row: number) => T): T | undefined {
    const shares = this.#shares;
    if (shares === undefined || this.isShared(slot)) return undefined;
    return this.lock.run(() =>
      Atomics.load(this.#cells, slot + DAY) === day ? use(shares, this.#row(slot)) : undefined,
    );
  }

  #row(slot: number): number {
    return (slot - HEADER) / SLOT;
  }

  learnDay(slot: number, day: number, used: number, refunded: number): void {
    this.lock.run(() => {
      if (Atomics.load(this.#cells, slot + DAY) !== day) return;
      const known = Atomics.load(this.#cells, slot + REFUNDED);
      const back = Math.max(known, refunded);
      Atomics.store(this.#cells, slot + REFUNDED, back);
      for (let seen = Atomics.load(this.#cells, slot + USED); ; ) {
        const now = Math.max(seen + known, used + refunded) - back;
        const held = Atomics.compareExchange(this.#cells, slot + USED, seen, now);
        if (held === seen) return;
        seen = held;
      }
    });
  }

  learnMinute(slot: number, minute: number, used: number): void {
    this.lock.run(() => {
      if (Atomics.load(this.#cells, slot + MINUTE) < minute) this.#startMinute(slot, minute);
      if (Atomics.load(this.#cells, slot + MINUTE) !== minute) return;
      for (let seen = Atomics.load(this.#cells, slot + MINUTE_USED); seen < used; ) {
        const held = Atomics.compareExchange(this.#cells, slot + MINUTE_USED, seen, used);
        if (held === seen) return;
        seen = held;
      }
    });
  }

  minuteUsed(slot: number, minute: number): number {
    return Atomics.load(this.#cells, slot + MINUTE) === minute ? Atomics.load(this.#cells, slot + MINUTE_USED) : 0;
  }

  /**
   * Restores a recorded charge at start, regardless of the present limits. A refund is restored as negative
   * units and as refunded.
   */
  restore(
    h1: number,
    h2: number,
    day: number,
    units: number,
    refunded: number,
    minute: number,
    minuteUnits: number,
  ): void {
    const slot = this.slotFor(h1, h2, day);
    Atomics.add(this.#cells, slot + USED, units);
    Atomics.add(this.#cells, slot + REFUNDED, refunded);
    this.withShares(slot, day, (shares, row) => shares.addLocal(row, units + refunded, refunded));
    if (minute <= 0) return;
    if (Atomics.load(this.#cells, slot + MINUTE) < minute) this.#startMinute(slot, minute);
    if (Atomics.load(this.#cells, slot + MINUTE) === minute) Atomics.add(this.#cells, slot + MINUTE_USED, minuteUnits);
  }

  occupancy(): { readonly used: number; readonly capacity: number; readonly overflowing: boolean } {
    return {
      used: Atomics.load(this.#cells, USED_SLOTS),
      capacity: slotsOf(this.#shape),
      overflowing: Atomics.load(this.#cells, OVERFLOWING) !== 0,
    };
  }

  #take(cell: number, units: number, limit: number): number {
    const cells = this.#cells;
    const most = Math.min(limit, COUNT_MAX);
    let used = Atomics.load(cells, cell);
    for (;;) {
      if (used + units > most) return -1 - used;
      const seen = Atomics.compareExchange(cells, cell, used, used + units);
      if (seen === used) return used + units;
      used = seen;
    }
  }

  #search(h1: number, h2: number): number {
    const cells = this.#cells;
    const segments = Atomics.load(cells, SEGMENTS);
    let base = HEADER;
    let size = this.#shape.firstSegment;
    for (let segment = 0; segment < segments; segment++) {
      const mask = size - 1;
      for (let i = 0; i < WINDOW; i++) {
        const at = base + SLOT * ((h1 + i) & mask);
        const key = Atomics.load(cells, at + H1);
        if (key === h1 && Atomics.load(cells, at + H2) === h2) return at;
        if (key === 0) return 0;
      }
      base += SLOT * size;
      size *= 4;
    }
    return 0;
  }

  #insertLocked(h1: number, h2: number, day: number): number {
    const found = this.#search(h1, h2);
    if (found > 0) return found;
    const cells = this.#cells;
    let base = HEADER;
    let size = this.#shape.firstSegment;
    let outlived = 0;
    for (let segment = 0; segment < this.#shape.segments; segment++) {
      const mask = size - 1;
      for (let i = 0; i < WINDOW; i++) {
        const at = base + SLOT * ((h1 + i) & mask);
        if (cells[at + H1] === 0) {
          if (outlived > 0) return this.#occupy(outlived, h1, h2);
          if (segment >= Atomics.load(cells, SEGMENTS)) Atomics.store(cells, SEGMENTS, segment + 1);
          Atomics.add(cells, USED_SLOTS, 1);
          return this.#occupy(at, h1, h2);
        }
        if (outlived === 0 && isOver(cells[at + DAY]!, day)) outlived = at;
      }
      if (outlived > 0) return this.#occupy(outlived, h1, h2);
      base += SLOT * size;
      size *= 4;
    }
    Atomics.store(cells, OVERFLOWING, 1);
    const shared = this.#overflowSlot(h1);
    if (cells[shared + H1] === 0) this.#occupy(shared, 1, 1);
    return shared;
  }

  /**
   * Must run under the lock; the slot is not on a day yet. The first half of the key is written last, so that
   * a reader who sees it sees the rest.
   */
  #occupy(at: number, h1: number, h2: number): number {
    const cells = this.#cells;
    Atomics.store(cells, at + H1, 1);
    Atomics.store(cells, at + H2, h2);
    Atomics.store(cells, at + USED, 0);
    Atomics.store(cells, at + REFUNDED, 0);
    Atomics.store(cells, at + MINUTE, 0);
    Atomics.store(cells, at + MINUTE_USED, 0);
    this.#shares?.begin(this.#row(at), 0, 0);
    Atomics.store(cells, at + DAY, 0);
    Atomics.store(cells, at + H1, h1);
    return at;
  }

  #overflowSlot(h1: number): number {
    return this.#overflowAt + SLOT * ((h1 >>> 22) & (OVERFLOW_SLOTS - 1));
  }

  #startDay(slot: number, day: number, used: number, refunded: number): void {
    const cells = this.#cells;
    const held = Atomics.load(cells, slot + DAY);
    // A later day stays if another thread began it meanwhile; otherwise it was given up.
    if (held === day || (held > day && held === this.#days.latest())) return;
    Atomics.store(cells, slot + USED, used);
    Atomics.store(cells, slot + REFUNDED, refunded);
    this.#shares?.begin(this.#row(slot), used + refunded, refunded);
    Atomics.store(cells, slot + DAY, day);
  }

  #startMinute(slot: number, minute: number): void {
    const cells = this.#cells;
    const held = Atomics.load(cells, slot + MINUTE);
    if (countsIn(held, minute)) return;
    if (held < minute) Atomics.store(cells, slot + MINUTE_USED, 0);
    Atomics.store(cells, slot + MINUTE, minute);
  }
}

const isOver = (slotDay: number, day: number): boolean => slotDay < day - 1 || slotDay > day + CLOCK_BACK_DAYS_MAX;

/** Another thread may have begun the next minute after this thread read the clock. */
const countsIn = (held: number, minute: number): boolean => held === minute || held === minute + 1;
