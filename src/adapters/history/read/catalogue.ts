import type { RiskType } from '../../../contract/risk.ts';
import type { SourceMode } from '../../../core/evidence/observation.ts';
import { RunTimes } from '../../../core/evidence/run-times.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { type LiveSource, NO_POSITION } from '../../../engine/evidence/evidence-delta.ts';
import type { EvidenceHead } from '../../../service/ports.ts';
import { RetractionTable } from '../write/retraction-table.ts';

export interface SourceEntry {
  readonly id: number;
  readonly name: string;
  readonly family: string;
  readonly mode: SourceMode;
  readonly sharedBy: 'tor' | 'relay' | undefined;
  readonly runs: RunTimes;
}

export interface Series {
  readonly id: number;
  readonly source: SourceEntry;
  readonly riskType: RiskType;
  readonly pool: string;
  /** The series records which entries an appearance listing holds; it has no captures. */
  readonly presence: boolean;
  readonly sender: string;
}

/**
 * The small tables of a store in memory as of one batch: sources, series, run times and prefix lengths. The
 * adapter fills it.
 */
export class Catalogue {
  readonly sources = new Map<number, SourceEntry>();
  readonly tracks = new Map<number, Series>();
  readonly retractions = new RetractionTable();
  readonly #counting = new Map<
    number,
    { readonly runs: RunTimes; readonly key: string; readonly calendar: RunTimes }
  >();
  lengths: Readonly<Record<4 | 6, readonly number[]>> = { 4: [], 6: [] };
  head: EvidenceHead = NO_POSITION;

  putSource(row: Omit<SourceEntry, 'runs'>, runs = this.sources.get(row.id)?.runs ?? new RunTimes()): SourceEntry {
    const known = this.sources.get(row.id);
    if (
      known !== undefined &&
      known.runs === runs &&
      known.family === row.family &&
      known.mode === row.mode &&
      known.sharedBy === row.sharedBy
    )
      return known;
    const entry = { ...row, runs };
    this.sources.set(row.id, entry);
    for (const track of [...this.tracks.values()])
      if (track.source.id === row.id) this.tracks.set(track.id, { ...track, source: entry });
    return entry;
  }

  /** Adds a run on a copy of the calendar, because other catalogues share the old one. */
  addRun(source: SourceEntry, at: UnixMs): void {
    const runs = source.runs.copy();
    runs.add(at);
    this.putSource(source, runs);
  }

  putSeries(row: Omit<Series, 'source'> & { readonly source: number }): Series {
    const known = this.tracks.get(row.id);
    if (known !== undefined) return known;
    const track = { ...row, source: this.sources.get(row.source)! };
    this.tracks.set(row.id, track);
    return track;
  }

  named(name: string): SourceEntry | undefined {
    for (const source of this.sources.values()) if (source.name === name) return source;
    return undefined;
  }

  /** Runs of a source without those retracted by `until`. Presence intervals are evaluated on them. */
  countingRuns({ id, runs }: SourceEntry, until: number): RunTimes {
    const gaps = runs.length === 0 ? [] : this.retractions.of(id, '').filter(({ madeAt }) => madeAt <= until);
    if (gaps.length === 0) return runs;
    const key = `${runs.length} ${gaps.map(({ from, to }) => `${from}-${to}`).join(' ')}`;
    const known = this.#counting.get(id);
    if (known?.runs === runs && known.key === key) return known.calendar;
    const calendar = runs.only((at) => gaps.every(({ from, to }) => at < from || at >= to));
    this.#counting.set(id, { runs, key, calendar });
    return calendar;
  }

  /**
   * Returns the first run of an open presence interval that still counts; undefined if none does. @param
   * since its first run
   */
  openFrom(source: SourceEntry, since: UnixMs): UnixMs | undefined {
    if (this.retractions.find(source.id, '', since, Number.MAX_SAFE_INTEGER) === undefined) return since;
    return this.countingRuns(source, Number.MAX_SAFE_INTEGER).after(since);
  }

  isRetractedRun(source: string, runAt: UnixMs | undefined): boolean {
    const entry = runAt === undefined ? undefined : this.named(source);
    return entry !== undefined && this.retractions.find(entry.id, '', runAt!, Number.MAX_SAFE_INTEGER) !== undefined;
  }

  /**
   * Returns whether the run follows a retracted newest run. Entries in both count again, so live rows change
   * although no interval does.
   */
  revives({ id, runs }: SourceEntry, runAt: UnixMs | undefined): boolean {
    const { newest } = runs;
    return (
      runAt !== undefined &&
      newest !== undefined &&
      runAt > newest &&
      this.retractions.find(id, '', newest, Number.MAX_SAFE_INTEGER) !== undefined
    );
  }

  seriesOf(source: SourceEntry, presence: boolean): Series[] {
    return [...this.tracks.values()]
      .filter((track) => track.source.id === source.id && track.presence === presence)
      .sort((a, b) => a.id - b.id);
  }

  liveSources(): LiveSource[] {
    return [...this.sources.values()].map((source) => {
      const { name, family, sharedBy } = source;
      const runs = this.countingRuns(source, Number.MAX_SAFE_INTEGER);
      const lastRunAt = runs.newest;
      const live = {
        id: name,
        family,
        lastRunAt: lastRunAt ?? unixMs(0),
        runDays: lastRunAt === undefined ? 0 : runs.daysBetween(unixMs(0), lastRunAt),
      };
      return sharedBy === undefined ? live : { ...live, sharedBy };
    });
  }
}
