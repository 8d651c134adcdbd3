import type { RiskType } from '../../../contract/risk.ts';
import type { SourceMode } from '../../../core/evidence/observation.ts';
import { RunCalendar } from '../../../core/evidence/run-calendar.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { type LiveSource, NOWHERE } from '../../../engine/evidence/evidence-delta.ts';
import type { EvidenceHead } from '../../../service/ports.ts';
import { Retractions } from '../write/retractions.ts';

export interface SourceEntry {
  readonly id: number;
  readonly name: string;
  readonly family: string;
  readonly mode: SourceMode;
  readonly sharedBy: 'tor' | 'relay' | undefined;
  readonly runs: RunCalendar;
}

/** One (source, risk type, pool, key). */
export interface Series {
  readonly id: number;
  readonly source: SourceEntry;
  readonly riskType: RiskType;
  readonly pool: string;
  /** It notes which entries an appearance listing holds: bookkeeping, and no capture. */
  readonly presence: boolean;
  /** Id of the key that brought it; '' = none */
  readonly sender: string;
}

/** The small tables of a store in memory, as they stood at one batch: sources, series, run times and prefix lengths. A driver fills it. */
export class Catalogue {
  readonly sources = new Map<number, SourceEntry>();
  readonly tracks = new Map<number, Series>();
  readonly retractions = new Retractions();
  readonly #counting = new Map<
    number,
    { readonly runs: RunCalendar; readonly key: string; readonly calendar: RunCalendar }
  >();
  /** Prefix lengths in use, per family, ascending. */
  lengths: Readonly<Record<4 | 6, readonly number[]>> = { 4: [], 6: [] };
  /** Where the store stood. */
  head: EvidenceHead = NOWHERE;

  /** Takes in a source, or news about it; its run times stay. */
  putSource(row: Omit<SourceEntry, 'runs'>, runs = this.sources.get(row.id)?.runs ?? new RunCalendar()): SourceEntry {
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

  /** Other catalogues share the run times that were there. */
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

  /** Runs of a source without those of times that were taken back by an instant: its entries rest on these. */
  countingRuns({ id, runs }: SourceEntry, until: number): RunCalendar {
    const gaps = runs.length === 0 ? [] : this.retractions.of(id, '').filter(({ madeAt }) => madeAt <= until);
    if (gaps.length === 0) return runs;
    const key = `${runs.length} ${gaps.map(({ from, to }) => `${from}-${to}`).join(' ')}`;
    const known = this.#counting.get(id);
    if (known?.runs === runs && known.key === key) return known.calendar;
    const calendar = runs.only((at) => gaps.every(({ from, to }) => at < from || at >= to));
    this.#counting.set(id, { runs, key, calendar });
    return calendar;
  }

  /** The first run that counts now of an open presence interval; undefined: none does. @param since its first run */
  openFrom(source: SourceEntry, since: UnixMs): UnixMs | undefined {
    if (this.retractions.find(source.id, '', since, Number.MAX_SAFE_INTEGER) === undefined) return since;
    return this.countingRuns(source, Number.MAX_SAFE_INTEGER).after(since);
  }

  /** Why a run cannot be taken: its time was taken back. */
  isRetractedRun(source: string, runAt: UnixMs | undefined): boolean {
    const entry = runAt === undefined ? undefined : this.named(source);
    return entry !== undefined && this.retractions.find(entry.id, '', runAt!, Number.MAX_SAFE_INTEGER) !== undefined;
  }

  /** Whether entries of a listing come back with this run that stood in the ones before, whose times were taken back: their rows changed, though no entry did. */
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

  /** Runs from which following rows of each source take their capture from. */
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
