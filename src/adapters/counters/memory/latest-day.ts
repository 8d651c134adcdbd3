/**
 * The quota day that was begun last, in memory that all threads of a process share.
 *
 *   Int32   0 day   1 jumps: how often a day was begun out of the ordinary, so that files may hold charges the counters lack
 */
import { DAYS_KEPT_AHEAD, staysInForce } from '../../../core/quota/day.ts';

const DAY = 0;
const JUMPS = 1;

export const LATEST_DAY_BYTES = 8;

export class LatestDay {
  readonly #cells: Int32Array;

  /** @param memory `LATEST_DAY_BYTES` bytes, zero when new */
  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Int32Array(memory);
  }

  /**
   * Sets the day of a ledger that is being opened.
   * @param isBehind files hold charges of later days: the clock was further ahead, and a day that begins may be one of those
   */
  open(day: number, isBehind: boolean): void {
    Atomics.store(this.#cells, DAY, day);
    if (isBehind) Atomics.add(this.#cells, JUMPS, 1);
  }

  /** Number of the day in force when the clock says `clockDay`, without beginning the next one. */
  at(clockDay: number): number {
    const latest = Atomics.load(this.#cells, DAY);
    if (staysInForce(latest, clockDay)) return latest;
    return isJump(latest, clockDay) ? this.begin(clockDay) : clockDay;
  }

  /** As `at`; a charge begins its day. */
  begin(clockDay: number): number {
    const cells = this.#cells;
    for (;;) {
      const latest = Atomics.load(cells, DAY);
      if (staysInForce(latest, clockDay)) return latest;
      // Counted first: a thread that sees the day knows that it was a jump.
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

const isJump = (latest: number, clockDay: number): boolean => clockDay < latest || clockDay - latest > DAYS_KEPT_AHEAD;
