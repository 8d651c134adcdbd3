/**
 * The latest quota day that was begun, in memory shared by all threads of a process.
 *
 *   Int32   0 day   1 jumps: how often the clock jumped to a day, whose files may hold charges that the
 *   counters lack
 */
import { CLOCK_BACK_DAYS_MAX, isCurrentDay } from '../../../core/quota/day.ts';

const DAY = 0;
const JUMPS = 1;

export const LATEST_DAY_BYTES = 8;

export class LatestDay {
  readonly #cells: Int32Array;

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory);
  }

  /**
   * Sets the day of a ledger that is being opened.
   * @param isBehind files hold charges of later days: the clock was once further ahead, and the next day may
   * be one of those
   */
  open(day: number, isBehind: boolean): void {
    Atomics.store(this.#cells, DAY, day);
    if (isBehind) Atomics.add(this.#cells, JUMPS, 1);
  }

  /** Returns the day in force. It begins the clock's day only if the clock jumped. */
  at(clockDay: number): number {
    const latest = Atomics.load(this.#cells, DAY);
    if (isCurrentDay(latest, clockDay)) return latest;
    return isJump(latest, clockDay) ? this.begin(clockDay) : clockDay;
  }

  /** Returns the day in force, after it begins the clock's day unless a later one is in force. */
  begin(clockDay: number): number {
    const cells = this.#cells;
    for (;;) {
      const latest = Atomics.load(cells, DAY);
      if (isCurrentDay(latest, clockDay)) return latest;
      // Counted before the day is set, so that a thread that sees the day also sees the jump.
      if (isJump(latest, clockDay)) Atomics.add(cells, JUMPS, 1);
      if (Atomics.compareExchange(cells, DAY, latest, clockDay) === latest) return clockDay;
    }
  }

  latest(): number {
    return Atomics.load(this.#cells, DAY);
  }

  jumps(): number {
    return Atomics.load(this.#cells, JUMPS);
  }
}

const isJump = (latest: number, clockDay: number): boolean =>
  clockDay < latest || clockDay - latest > CLOCK_BACK_DAYS_MAX;
