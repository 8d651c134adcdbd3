import type { Observation } from '../../../core/evidence/observation.ts';
import type { Prefix } from '../../../core/ip/address.ts';
import type { LiveRow } from '../../../service/ports.ts';
import type { Catalogue, Series, SourceEntry } from './catalogue.ts';
import { SeriesFold } from './series-fold.ts';

export type SentObservation = Observation & Pick<Series, 'sender'>;

export class PrefixRecords {
  readonly #catalogue: Catalogue;
  readonly #until: number;
  readonly #openApart: boolean;
  readonly #series = new Map<number, SeriesFold>();

  constructor(catalogue: Catalogue, until?: number) {
    this.#catalogue = catalogue;
    this.#openApart = until === undefined;
    this.#until = Math.min(until ?? Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  }

  take(kind: number, track: number, at: number, lastAt: number | null): void {
    const { retractions, tracks } = this.#catalogue;
    const standing = retractions.standing(tracks.get(track)!, kind, at, lastAt, this.#until);
    if (standing === undefined) return;
    let series = this.#series.get(track);
    if (series === undefined) {
      series = new SeriesFold();
      this.#series.set(track, series);
    }
    series.take(kind, ...standing, this.#until, this.#openApart);
  }

  retractedFrom(track: number, at: number): number | undefined {
    const { source, sender } = this.#catalogue.tracks.get(track)!;
    return this.#catalogue.retractions.find(source.id, sender, at, this.#until)?.from;
  }

  observations(prefixBits: number): Observation[] {
    return [...this.#observations(prefixBits)].map(([row]) => row);
  }

  sentObservations(prefixBits: number): SentObservation[] {
    return [...this.#observations(prefixBits)].map(([row, sender]) => ({ ...row, sender }));
  }

  *#observations(prefixBits: number): Generator<readonly [Observation, sender: string]> {
    for (const [id, series] of this.#series) {
      const { source, riskType, pool, presence, sender } = this.#catalogue.tracks.get(id)!;
      const captures = presence
        ? undefined
        : series.captures(this.#catalogue.countingRuns(source, this.#until), this.#until);
      if (captures === undefined) continue;
      const row = {
        riskType,
        source: source.name,
        family: source.family,
        ...captures,
        prefixBits,
        pools: pool === '' ? NO_POOLS : [pool],
      };
      yield [source.sharedBy === undefined ? row : { ...row, sharedBy: source.sharedBy }, sender];
    }
  }

  /**
   * Returns the rows of one source in series order; in each, past captures precede the open presence
   * interval.
   */
  liveRows(prefix: Prefix, source: SourceEntry): LiveRow[] {
    const rows: LiveRow[] = [];
    // A prefix has records in a few series; a source may have hundreds.
    for (const [id, series] of [...this.#series].sort(([a], [b]) => a - b)) {
      const { source: reporter, riskType, pool, presence } = this.#catalogue.tracks.get(id)!;
      if (presence || reporter.id !== source.id) continue;
      const over = series.captures(this.#catalogue.countingRuns(reporter, this.#until), this.#until);
      const row = { prefix, source: source.name, riskType, pool };
      if (over !== undefined) rows.push({ ...row, following: false, ...over });
      const openSince = series.openSince && this.#catalogue.openFrom(reporter, series.openSince);
      if (openSince !== undefined) rows.push({ ...row, following: true, capturedAt: openSince, days: 0 });
    }
    return rows;
  }
}

const NO_POOLS: readonly string[] = [];
