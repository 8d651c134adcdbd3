/**
 * The counters themselves: one open-addressing table over shared memory that every thread reads and changes with Atomics.
 *
 *   header (64 Int32)   0 lock (owner, 0 = free)   1 slots in use   2 segments in use   3 slots shared by overflow
 *   slot   (8 Int32)    0 h1   1 h2   2 day   3 used today   4 refunded today   5 minute   6 used this minute
 *                       7 counted by this process (over Redis alone)
 *
 * - Slots lie in segments, each four times the one before. A key is looked for in a window of 32 slots of the first segment, then of the second …;
 *   a free slot ends the search, since slots are never freed. Memory the system has not been asked to touch is not committed.
 * - A counter in its current day and minute is changed with compare-and-exchange alone: it takes units only while they fit.
 * - Everything rare (a new key, the first charge of a day or minute) happens under one lock, so no key ever gets two slots and no reset loses a charge.
 *   The lock names its owner: when a thread dies inside, `releaseOf` of the lock frees it.
 * - A slot whose day is older than yesterday, or was given up, may be given to another key, under the lock; its owner's next charge starts at the lock too.
 * - After the clock went back a slot may be in a day that was given up (core/quota/day.ts): it starts the present one, with the use before. A
 *   minute further ahead than the next becomes the present one with its count: a step back gives nothing, and a minute that is used up refuses for no
 *   longer than until the next one ends.
 * - More than half full: the ledger counts new IPv6 clients under a wider key (`isCrowded`).
 * - Full: late keys share one of 1024 overflow slots, chosen by hash. Sharing can refuse too early and never too late.
 */
import { DAYS_KEPT_AHEAD } from '../../../core/quota/day.ts';
import { SharedLock } from '../../system/shared-lock.ts';

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
const OWN = 7;

const WINDOW = 32;
const OVERFLOW_SLOTS = 1024;
/** Counters are signed 32-bit; limits above are held to this. */
const COUNT_MAX = 0x7fff_ffff;

/** Slots of the first segment; each further one has four times as many. */
export interface TableShape {
  readonly firstSegment: number;
  readonly segments: number;
}

/** 4096 + 16,384 + … + 4,194,304 = 5.6 million clients a day in at most 179 MB; the first segment takes 128 KiB. */
export const CLIENT_TABLE: TableShape = { firstSegment: 4096, segments: 6 };
/** Accounts, keys, assistant families: 1.4 million in at most 45 MB, apart, so that no flood of client addresses can crowd them out. */
export const ACCOUNT_TABLE: TableShape = { firstSegment: 4096, segments: 5 };

const slotsOf = (shape: TableShape): number => (shape.firstSegment * (4 ** shape.segments - 1)) / 3;

/** Bytes of shared memory a table of this shape asks for. */
export const tableBytes = (shape: TableShape): number => (HEADER + SLOT * (slotsOf(shape) + OVERFLOW_SLOTS)) * 4;

/** Days beyond its own slots. */
export interface Days {
  /** Number of the day that was begun last, by whichever thread. */
  latest(): number;
  /** Use of a key on a day that its slot is about to start; undefined: nothing. Asked outside the lock. */
  usedBefore(h1: number, h2: number, day: number): { readonly used: number; readonly refunded: number } | undefined;
}

/** Of a table in which one day is put back. */
const ONE_DAY: Days = { latest: () => 0, usedBefore: () => undefined };

export class CounterTable {
  readonly #cells: Int32Array;
  readonly #shape: TableShape;
  readonly lock: SharedLock;
  readonly #overflowAt: number;
  readonly #days: Days;

  /** @param memory zero when new @param owner positive number of this thread, for the lock */
  constructor(memory: SharedArrayBuffer, shape: TableShape, owner: number, days: Days = ONE_DAY) {
    this.#cells = new Int32Array(memory);
    this.#shape = shape;
    this.lock = new SharedLock(this.#cells, LOCK, owner);
    this.#overflowAt = HEADER + SLOT * slotsOf(shape);
    this.#days = days;
    Atomics.compareExchange(this.#cells, SEGMENTS, 0, 1);
  }

  /** Position of the key's slot, made when there is none and started on `day`, so that no other key gets it today or tomorrow. */
  slotFor(h1: number, h2: number, day: number): number {
    const found = this.#search(h1, h2);
    return found > 0 && Atomics.load(this.#cells, found + DAY) === day ? found : this.#newSlot(h1, h2, day);
  }

  // Apart from `slotFor`, as `#newMinute` is from `takeMinute`: a function with a closure in it allocates on every call, closure or not.
  #newSlot(h1: number, h2: number, day: number): number {
    const before = this.#days.usedBefore(h1, h2, day);
    return this.lock.run(() => {
      const slot = this.#insert(h1, h2, day);
      this.#startDay(slot, day, before?.used ?? 0, before?.refunded ?? 0);
      return slot;
    });
  }

  /** Whether more than half of the slots were ever used: only then is `isCrowded` worth asking. */
  isHalfUsed(): boolean {
    return 2 * Atomics.load(this.#cells, USED_SLOTS) > slotsOf(this.#shape);
  }

  /** Whether a key without a slot finds most slots of its last window in use on this day or the one before. */
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

  /** Position of the key's slot, or 0. */
  find(h1: number, h2: number): number {
    const found = this.#search(h1, h2);
    if (found > 0 || Atomics.load(this.#cells, OVERFLOWING) === 0) return found;
    const shared = this.#overflowSlot(h1);
    return Atomics.load(this.#cells, shared + H1) === 0 ? 0 : shared;
  }

  /** Takes units from the day of a slot. @returns units used after it, or -1 - used when they do not fit */
  takeDay(slot: number, units: number, limit: number): number {
    return this.#take(slot + USED, units, limit);
  }

  /** As `takeDay`, for the clock minute or, where the slot has begun it, the next one. */
  takeMinute(slot: number, minute: number, units: number, limit: number): number {
    if (!countsIn(Atomics.load(this.#cells, slot + MINUTE), minute)) this.#newMinute(slot, minute);
    return this.#take(slot + MINUTE_USED, units, limit);
  }

  /** The minute that the slot counts. */
  minuteOf(slot: number): number {
    return Atomics.load(this.#cells, slot + MINUTE);
  }

  #newMinute(slot: number, minute: number): void {
    this.lock.run(() => this.#startMinute(slot, minute));
  }

  /** Gives units back; `refund` marks a charge that had been answered for, else the reservation is undone without a trace. A closed day stays as it is. */
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

  /** Units used and given back on the slot's day. */
  usage(slot: number): { readonly used: number; readonly refunded: number } {
    return { used: Atomics.load(this.#cells, slot + USED), refunded: Atomics.load(this.#cells, slot + REFUNDED) };
  }

  /** Whether late keys share the slot: its count is not of one of them. */
  isShared(slot: number): boolean {
    return slot >= this.#overflowAt;
  }

  /** Units of the slot's day that this process counted, less those it gave back. */
  ownOf(slot: number): number {
    return Atomics.load(this.#cells, slot + OWN);
  }

  addOwn(slot: number, units: number): void {
    Atomics.add(this.#cells, slot + OWN, units);
  }

  /** Takes in the use and refunds of all nodes together of the slot's day, where that is more than is known here. Neither ever goes down in all. */
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

  /** As `learnDay`, for a clock minute. */
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

  /** Puts a recorded charge back at start, whatever the limits are now. A refund restores as negative units and the same refunded. */
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
    if (minute === 0) return;
    if (Atomics.load(this.#cells, slot + MINUTE) < minute) this.#startMinute(slot, minute);
    if (Atomics.load(this.#cells, slot + MINUTE) === minute) Atomics.add(this.#cells, slot + MINUTE_USED, minuteUnits);
  }

  /** Slots in use and whether late keys share slots. */
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

  /** Position of the key's slot, or 0: the header stands there. */
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

  /** Under the lock: the slot another thread has made meanwhile, a free or outlived one, or a shared one. */
  #insert(h1: number, h2: number, day: number): number {
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

  /** Under the lock, in no day yet. The key's first half is written last: a reader that sees it sees the rest. */
  #occupy(at: number, h1: number, h2: number): number {
    const cells = this.#cells;
    Atomics.store(cells, at + H1, 1);
    Atomics.store(cells, at + H2, h2);
    Atomics.store(cells, at + USED, 0);
    Atomics.store(cells, at + REFUNDED, 0);
    Atomics.store(cells, at + MINUTE, 0);
    Atomics.store(cells, at + MINUTE_USED, 0);
    Atomics.store(cells, at + OWN, 0);
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
    // A later day is right when another thread began it meanwhile, and was given up otherwise.
    if (held === day || (held > day && held === this.#days.latest())) return;
    Atomics.store(cells, slot + USED, used);
    Atomics.store(cells, slot + REFUNDED, refunded);
    Atomics.store(cells, slot + OWN, 0);
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

/** True for a day that no thread counts on any more: two days back, or given up. */
const isOver = (slotDay: number, day: number): boolean => slotDay < day - 1 || slotDay > day + DAYS_KEPT_AHEAD;

/** Another thread may have begun the next minute between this one's look at the clock and its charge. */
const countsIn = (held: number, minute: number): boolean => held === minute || held === minute + 1;
