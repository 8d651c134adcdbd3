import type { UnixMs } from '../../../core/units.ts';
import type { RetractedCaptures } from '../../../service/ports.ts';
import { RECORD } from '../read/series-fold.ts';

export interface RetractedTime {
  /** '' retracts the captures of every key and those without one. */
  readonly sender: string;
  readonly from: UnixMs;
  readonly to: UnixMs;
  readonly madeAt: UnixMs;
}

export const NOTHING_RETRACTED: RetractedCaptures = {
  status: 'retracted',
  captures: 0,
  derivedRetracted: 0,
  derivedKept: 0,
};

const NONE: readonly RetractedTime[] = [];

/**
 * Retractions by source id. An answer about an instant applies only the retractions made by then, so that it
 * stays the same.
 */
export class RetractionTable {
  readonly #bySource = new Map<number, RetractedTime[]>();

  add(source: number, time: RetractedTime): void {
    const known = this.#bySource.get(source);
    if (known === undefined) this.#bySource.set(source, [time]);
    else known.push(time);
  }

  of(source: number, sender: string): readonly RetractedTime[] {
    const all = this.#bySource.get(source) ?? NONE;
    return all.every((time) => concerns(time, sender)) ? all : all.filter((time) => concerns(time, sender));
  }

  /** Returns the retraction, made by `until`, that covers a capture; undefined if the capture counts. */
  find(source: number, sender: string, at: number, until: number): RetractedTime | undefined {
    if (this.#bySource.size === 0) return undefined;
    return this.#bySource
      .get(source)
      ?.find((time) => time.madeAt <= until && time.from <= at && at < time.to && concerns(time, sender));
  }

  /**
   * Returns a record without the captures retracted by `until`. Where only the first and last capture are
   * known, the last one that counts stands for both.
   * @param at, lastAt as in `SeriesFold.take`; for RECORD.withdrawn, `lastAt` is the time of the withdrawal
   * @returns undefined when nothing remains
   */
  standing(
    { source: { id: source }, sender }: RetractableSeries,
    kind: number,
    at: number,
    lastAt: number | null,
    until: number,
  ): readonly [at: number, lastAt: number | null] | undefined {
    if (kind === RECORD.withdrawn && lastAt! <= until) return undefined;
    if (this.#bySource.size === 0 || kind === RECORD.presence) return [at, lastAt];
    const counts = (time: number): boolean => this.find(source, sender, time, until) === undefined;
    if (kind === RECORD.event || kind === RECORD.withdrawn) return counts(at) ? [at, lastAt] : undefined;
    if (lastAt! <= until && counts(lastAt!)) return [counts(at) ? at : lastAt!, lastAt];
    return counts(at) ? [at, at] : undefined;
  }
}

interface RetractableSeries {
  readonly source: { readonly id: number };
  readonly sender: string;
}

const concerns = (time: RetractedTime, sender: string): boolean => time.sender === '' || time.sender === sender;
