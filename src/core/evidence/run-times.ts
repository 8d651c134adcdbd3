import { grown } from '../kit/grown.ts';
import { DAY_MS, type UnixMs } from '../units.ts';
import { dayStart, OBSERVED_DAYS } from './fold-observations.ts';

/** Ascending run times of one source. Together with presence intervals they are the whole past of a listing. */
export class RunTimes {
  #times: Float64Array<ArrayBuffer>;
  #length = 0;

  constructor(capacity = 64) {
    this.#times = new Float64Array(capacity);
  }

  get length(): number {
    return this.#length;
  }

  get newest(): UnixMs | undefined {
    return this.#length === 0 ? undefined : (this.#times[this.#length - 1] as UnixMs);
  }

  add(at: UnixMs): void {
    const position = this.#after(at);
    if (position > 0 && this.#times[position - 1] === at) return;
    if (this.#length === this.#times.length) this.#times = grown(this.#times, 1);
    this.#times.copyWithin(position + 1, position, this.#length);
    this.#times[position] = at;
    this.#length++;
  }

  copy(): RunTimes {
    const copy = new RunTimes(this.#times.length);
    copy.#times.set(this.#times);
    copy.#length = this.#length;
    return copy;
  }

  only(counts: (at: UnixMs) => boolean): RunTimes {
    const kept = new RunTimes(this.#times.length);
    for (let i = 0; i < this.#length; i++)
      if (counts(this.#times[i] as UnixMs)) kept.#times[kept.#length++] = this.#times[i]!;
    return kept;
  }

  newestUntil(at: number): UnixMs | undefined {
    const position = this.#after(at);
    return position === 0 ? undefined : (this.#times[position - 1] as UnixMs);
  }

  before(at: UnixMs): UnixMs | undefined {
    const newest = this.newestUntil(at);
    return newest === at ? this.newestUntil(at - 1) : newest;
  }

  after(at: UnixMs): UnixMs | undefined {
    const position = this.#after(at);
    return position === this.#length ? undefined : (this.#times[position] as UnixMs);
  }

  has(at: UnixMs): boolean {
    return this.newestUntil(at) === at;
  }

  /** Day mask of the runs in [first, last], with bit 0 at the UTC date of `last`, which must be a run. */
  daysBetween(first: UnixMs, last: UnixMs): number {
    let mask = 1;
    let start = dayStart(last) as number;
    for (let back = 1; back < OBSERVED_DAYS && start > first; back++) {
      const run = this.newestUntil(start - 1);
      if (run === undefined || run < first) break;
      start -= DAY_MS;
      if (run >= start) mask |= 1 << back;
    }
    return mask;
  }

  #after(at: number): number {
    let low = 0;
    let high = this.#length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#times[middle]! <= at) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
