import {
  type Captures,
  capturesOfPresence,
  type PresenceInterval,
  uniteCaptures,
  uniteDays,
} from '../../../core/evidence/fold-observations.ts';
import type { RunTimes } from '../../../core/evidence/run-times.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';

export const RECORD = {
  presence: 0,
  event: 1,
  /** Memory keeps the first and last capture of compacted detail. */
  firstLast: 2,
  /**
   * An event that was withdrawn on its own at `lastAt`. Number 3 marks a row of PostgreSQL's answer that is
   * not a record.
   */
  withdrawn: 4,
} as const;

export class SeriesFold {
  #intervals: PresenceInterval[] = [];
  #at = -1;
  #days = 0;
  openSince: UnixMs | undefined;

  clear(): void {
    if (this.#intervals.length > 0) this.#intervals = [];
    this.#at = -1;
    this.openSince = undefined;
  }

  /**
   * Adds one record. Presence intervals must come in ascending order; the others may come in any.
   * @param at first run of a presence interval, first capture, or time of an event
   * @param lastAt last run of a presence interval (null while open) or last capture; null for an event
   * @param until the instant asked about
   * @param openApart keeps an open presence interval separate, for live rows
   */
  take(kind: number, at: number, lastAt: number | null, until: number, openApart: boolean): void {
    if (kind === RECORD.event || kind === RECORD.withdrawn) this.#capture(at);
    else if (kind === RECORD.firstLast) this.#capture(lastAt! <= until ? lastAt! : at);
    else if (lastAt === null && openApart) this.openSince = unixMs(at);
    else this.#intervals.push({ firstAt: unixMs(at), lastAt: lastAt === null ? undefined : unixMs(lastAt) });
  }

  captures(runs: RunTimes, until: number): Captures | undefined {
    const dated = this.#at < 0 ? undefined : { capturedAt: this.#at as UnixMs, days: this.#days };
    return this.#intervals.length === 0
      ? dated
      : uniteCaptures(capturesOfPresence(this.#intervals, runs, until), dated);
  }

  #capture(at: number): void {
    this.#days = this.#at < 0 ? 1 : uniteDays(this.#at, this.#days, at, 1);
    if (at > this.#at) this.#at = at;
  }
}
