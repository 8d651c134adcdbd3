import type { RiskType } from '../../contract/risk.ts';
import type { SourceMode } from '../../core/evidence/observation.ts';
import { RunCalendar } from '../../core/evidence/run-calendar.ts';
import { unixMs } from '../../core/units.ts';
import { type LiveSource, NOWHERE } from '../../engine/evidence/evidence-delta.ts';
import type { EvidenceHead } from '../../service/ports.ts';
import { Retractions } from './retractions.ts';

export interface SourceEntry {
  readonly id: number;
  readonly name: string;
  readonly family: string;
  readonly mode: SourceMode;
  readonly sharedBy: 'tor' | 'relay' | undefined;
  readonly runs: RunCalendar;
}

/** One (source, risk type, pool). */
export interface Series {
  readonly id: number;
  readonly source: SourceEntry;
  readonly riskType: RiskType;
  readonly pool: string;
  /** It notes which entries an appearance listing holds: bookkeeping, and no capture. */
  readonly presence: boolean;
}

/** The small tables of a store in memory, as they stood at one batch: sources, series, run times and prefix lengths. A driver fills it. */
export class Catalogue {
  readonly sources = new Map<number, SourceEntry>();
  readonly tracks = new Map<number, Series>();
  readonly retractions = new Retractions();
  /** Prefix lengths in use, per family, ascending. */
  lengths: Readonly<Record<4 | 6, readonly number[]>> = { 4: [], 6: [] };
  /** Where the store stood. */
  head: EvidenceHead = NOWHERE;

  /** Takes in a source, or what is new about it; its run times stay. */
  putSource(row: Omit<SourceEntry, 'runs'>, runs = this.sources.get(row.id)?.runs ?? new RunCalendar()): SourceEntry {
    const known = this.sources.get(row.id);
    if (known !== undefined && known.runs === runs && known.family === row.family && known.mode === row.mode && known.sharedBy === row.sharedBy) return known;
    const entry = { ...row, runs };
    this.sources.set(row.id, entry);
    for (const track of [...this.tracks.values()]) if (track.source.id === row.id) this.tracks.set(track.id, { ...track, source: entry });
    return entry;
  }

  putSeries(row: Omit<Series, 'source'> & { readonly source: number }): Series {
    const known = this.tracks.get(row.id);
    if (known !== undefined) return known;
    const track = { ...row, source: this.sources.get(row.source)! };
    this.tracks.set(row.id, track);
    return track;
  }

  seriesOf(source: SourceEntry, presence: boolean): Series[] {
    return [...this.tracks.values()].filter((track) => track.source.id === source.id && track.presence === presence).sort((a, b) => a.id - b.id);
  }

  /** What following rows of each source take their capture from. */
  liveSources(): LiveSource[] {
    return [...this.sources.values()].map(({ name, family, sharedBy, runs }) => {
      const lastRunAt = runs.newest;
      const live = { id: name, family, lastRunAt: lastRunAt ?? unixMs(0), runDays: lastRunAt === undefined ? 0 : runs.daysBetween(unixMs(0), lastRunAt) };
      return sharedBy === undefined ? live : { ...live, sharedBy };
    });
  }
}
