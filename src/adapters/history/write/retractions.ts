import type { UnixMs } from '../../../core/units.ts';
import type { RetractedCaptures } from '../../../service/ports.ts';
import { RECORD } from '../read/series-fold.ts';

/** Captures of one source in a stretch of time count no more from the moment on at which an operator took them back. */
export interface RetractedTime {
  /** Id of the key whose captures these are; '': those of every key, and those without one. */
  readonly sender: string;
  readonly from: UnixMs;
  /** Before this moment. */
  readonly to: UnixMs;
  readonly madeAt: UnixMs;
}

export const NOTHING_RETRACTED: RetractedCaptures = {
  status: 'retracted',
  captures: 0,
  derivedAlone: 0,
  derivedPartly: 0,
};

const NONE: readonly RetractedTime[] = [];

/** Retractions, by the number of the source. An answer about an instant knows the retractions by then, so that it stays the same. */
export class Retractions {
  readonly #bySource = new Map<number, RetractedTime[]>();

  add(source: number, time: RetractedTime): void {
    const known = this.#bySource.get(source);
    if (known === undefined) this.#bySource.set(source, [time]);
    else known.push(time);
  }

  /** Those that concern the captures that one key brought. */
  of(source: number, sender: string): readonly RetractedTime[] {
    const all = this.#bySource.get(source) ?? NONE;
    return all.every((time) => concerns(time, sender)) ? all : all.filter((time) => concerns(time, sender));
  }

  /** The stretch in which a capture was taken back by an instant; undefined: the capture counts. */
  find(source: number, sender: string, at: number, until: number): RetractedTime | undefined {
    if (this.#bySource.size === 0) return undefined;
    return this.#bySource
      .get(source)
      ?.find((time) => time.madeAt <= until && time.from <= at && at < time.to && concerns(time, sender));
  }

  /**
   * A record without the captures taken back by an instant. Where detail is gone, only the first and the last capture are known: the last one that counts
   * stands for both.
   * @param at, lastAt as `SeriesFold.take` has them; of RECORD.withdrawn the moment at which that was done
   * @returns undefined: nothing
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
