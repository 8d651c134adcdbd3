import { capturesOfSpells, type Spell } from '../../core/evidence/captures-of-spells.ts';
import type { RunCalendar } from '../../core/evidence/run-calendar.ts';
import { type Captures, uniteCaptures, uniteDays } from '../../core/evidence/unite-captures.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';

/** Kinds of records, one for each large table. */
export const RECORD = {
  spell: 0,
  event: 1,
  /** First and last capture, where the detail is gone. */
  firstLast: 2,
} as const;

/** What the records of one prefix and one track come to. It can be used again after `clear`. */
export class SeriesFold {
  #spells: Spell[] = [];
  #at = -1;
  #days = 0;
  /** First run of the open spell, when it is kept apart. */
  openSince: UnixMs | undefined;

  clear(): void {
    if (this.#spells.length > 0) this.#spells = [];
    this.#at = -1;
    this.openSince = undefined;
  }

  /**
   * Takes one record. Spells come in ascending order, the others in any.
   * @param at first run of a spell, first capture, or time of an event
   * @param lastAt last run of a spell (null: it is open) or last capture
   * @param until the instant that is asked about
   * @param openApart an open spell is kept apart, for live rows
   */
  take(kind: number, at: number, lastAt: number | null, until: number, openApart: boolean): void {
    if (kind === RECORD.event) this.#capture(at);
    else if (kind === RECORD.firstLast) this.#capture(lastAt! <= until ? lastAt! : at);
    else if (lastAt === null && openApart) this.openSince = unixMs(at);
    else this.#spells.push({ firstAt: unixMs(at), lastAt: lastAt === null ? undefined : unixMs(lastAt) });
  }

  /** Captures until the instant, without an open spell that is kept apart. */
  captures(runs: RunCalendar, until: number): Captures | undefined {
    const dated = this.#at < 0 ? undefined : { capturedAt: this.#at as UnixMs, days: this.#days };
    return this.#spells.length === 0 ? dated : uniteCaptures(capturesOfSpells(this.#spells, runs, until), dated);
  }

  #capture(at: number): void {
    this.#days = this.#at < 0 ? 1 : uniteDays(this.#at, this.#days, at, 1);
    if (at > this.#at) this.#at = at;
  }
}
