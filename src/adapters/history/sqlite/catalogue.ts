import type { DatabaseSync } from 'node:sqlite';
import { RISK_TYPES, type RiskType } from '../../../contract/risk.ts';
import type { EvidenceSource, SourceMode } from '../../../core/evidence/capture.ts';
import { RunCalendar } from '../../../core/evidence/run-calendar.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { continues, type EvidencePosition, type LiveSource, NOWHERE } from '../../../engine/evidence/evidence-delta.ts';
import type { SourceHealth } from '../../../service/ports.ts';
import { numbers, type Statements } from './statements.ts';

export interface SourceEntry {
  readonly id: number;
  readonly name: string;
  readonly family: string;
  readonly mode: SourceMode;
  readonly sharedBy: 'tor' | 'relay' | undefined;
  readonly runs: RunCalendar;
}

/** One (source, risk type, pool). */
export interface Track {
  readonly id: number;
  readonly source: SourceEntry;
  readonly riskType: RiskType;
  readonly pool: string;
  readonly presence: boolean;
}

/**
 * The small tables in memory: sources, tracks, run times and prefix lengths. `refresh` brings them up to what the current transaction sees;
 * inside a write transaction the writer keeps them up to date itself, and a roll-back drops them.
 */
export class Catalogue {
  readonly #database: DatabaseSync;
  readonly #statements: Statements;
  readonly sources = new Map<number, SourceEntry>();
  readonly tracks = new Map<number, Track>();
  /** Prefix lengths in use, per family, ascending. */
  lengths: Readonly<Record<4 | 6, readonly number[]>> = { 4: [], 6: [] };
  /** Where the store stands in the state that was loaded. */
  position: EvidencePosition = NOWHERE;
  #version = -1;
  #runsUntil = -1;

  constructor(database: DatabaseSync, statements: Statements) {
    this.#database = database;
    this.#statements = statements;
  }

  /** Call inside a transaction. Cheap when no other connection has written since. */
  refresh(): void {
    const version = numbers(this.#statements.get('pragma data_version').get())[0]!;
    if (version === this.#version) return;
    this.#load();
    this.#version = version;
  }

  /** Forget everything: after a roll-back what was added in memory is not in the tables. */
  reset(): void {
    this.sources.clear();
    this.tracks.clear();
    this.#version = -1;
    this.#runsUntil = -1;
  }

  /** Where the store stood at a batch; undefined where it has none of this number. Call inside a transaction, after `refresh`. */
  positionAt(sequence: number): EvidencePosition | undefined {
    const { store } = this.position;
    if (sequence === 0) return { ...NOWHERE, store };
    const row = this.#statements.get('select mark from batches where sequence = ?').get(sequence) as unknown as [string] | undefined;
    return row && { store, sequence, mark: row[0] };
  }

  /** Notes the batch that this connection has just written. Inside the write transaction. */
  noteBatch(): void {
    this.position = this.#newest();
  }

  #newest(): EvidencePosition {
    const [store] = this.#statements.get('select store from identity').get() as unknown as [string];
    const newest = this.#statements.get('select sequence, mark from batches order by sequence desc limit 1').get();
    const [sequence, mark] = (newest as unknown as [number, string] | undefined) ?? [0, ''];
    return { store, sequence, mark };
  }

  #load(): void {
    const before = this.position;
    this.position = this.#newest();
    // Another state was restored into the file: what is in memory is not of this one.
    if (!continues(before, this.positionAt(before.sequence))) this.reset();
    const of = (sql: string, ...values: number[]): unknown[][] => this.#statements.get(sql).all(...values) as unknown as unknown[][];
    for (const [id, name, family, mode, sharedBy] of of('select id, name, family, mode, shared_by from sources')) {
      const known = this.sources.get(id as number);
      const entry = { id: id as number, name: name as string, family: family as string, mode: mode as SourceMode, runs: known?.runs ?? new RunCalendar() };
      this.sources.set(entry.id, { ...entry, sharedBy: (sharedBy ?? undefined) as SourceEntry['sharedBy'] });
    }
    // Tracks hold their source entry, which may have been replaced above: all are made anew. They are few.
    for (const [id, source, type, pool, presence] of of('select id, source, risk_type, pool, presence from tracks'))
      this.#track(id, source, type, pool, presence);
    for (const [source, at] of of('select source, at from runs where sequence > ?', this.#runsUntil))
      this.sources.get(source as number)!.runs.add(at as UnixMs);
    const lengths: Record<4 | 6, number[]> = { 4: [], 6: [] };
    for (const [family, bits] of of('select family, bits from lengths order by family, bits')) lengths[family as 4 | 6].push(bits as number);
    this.lengths = lengths;
    this.#runsUntil = this.position.sequence;
  }

  #track(id: unknown, source: unknown, type: unknown, pool: unknown, presence: unknown): Track {
    const track = {
      id: id as number,
      source: this.sources.get(source as number)!,
      riskType: RISK_TYPES[type as number]!,
      pool: pool as string,
      presence: presence === 1,
    };
    this.tracks.set(track.id, track);
    return track;
  }

  /** The source's row, made or brought up to date. Single captures sent in under a listing's name do not redefine it. Inside a write transaction. */
  sourceOf(source: EvidenceSource): SourceEntry {
    const values = [source.family, source.mode, source.riskType ?? null, source.sharedBy ?? null] as const;
    this.#statements
      .get(
        `insert into sources (name, family, mode, risk_type, shared_by) values (?, ?, ?, ?, ?)
         on conflict (name) do update set family = excluded.family, mode = excluded.mode, risk_type = excluded.risk_type, shared_by = excluded.shared_by
         where mode = 'events' or excluded.mode <> 'events'`,
      )
      .run(source.id, ...values);
    const row = this.#statements.get('select id, family, mode, shared_by from sources where name = ?').get(source.id) as unknown as [
      number,
      string,
      SourceMode,
      'tor' | 'relay' | null,
    ];
    const [id, family, mode] = row;
    const sharedBy = row[3] ?? undefined;
    const known = this.sources.get(id);
    if (known !== undefined && known.family === family && known.mode === mode && known.sharedBy === sharedBy) return known;
    const entry: SourceEntry = { id, name: source.id, family, mode, sharedBy, runs: known?.runs ?? new RunCalendar() };
    this.sources.set(id, entry);
    for (const track of [...this.tracks.values()]) if (track.source.id === id) this.tracks.set(track.id, { ...track, source: entry });
    return entry;
  }

  trackOf(source: SourceEntry, type: number, pool: string, presence: boolean): Track {
    const key = [source.id, type, pool, presence ? 1 : 0] as const;
    this.#statements.get('insert or ignore into tracks (source, risk_type, pool, presence) values (?, ?, ?, ?)').run(...key);
    const id = numbers(this.#statements.get('select id from tracks where source = ? and risk_type = ? and pool = ? and presence = ?').get(...key))[0]!;
    return this.tracks.get(id) ?? this.#track(id, source.id, type, pool, presence ? 1 : 0);
  }

  tracksOf(source: SourceEntry, presence: boolean): Track[] {
    return [...this.tracks.values()].filter((track) => track.source.id === source.id && track.presence === presence).sort((a, b) => a.id - b.id);
  }

  addLengths(used: ReadonlySet<number>): void {
    for (const code of used) {
      const [family, bits] = [code >= 1000 ? 6 : 4, code % 1000] as const;
      if (this.lengths[family].includes(bits)) continue;
      this.#statements.get('insert or ignore into lengths (family, bits) values (?, ?)').run(family, bits);
      this.lengths = { ...this.lengths, [family]: [...this.lengths[family], bits].sort((a, b) => a - b) };
    }
  }

  /** What following rows of each source take their capture from. */
  liveSources(): LiveSource[] {
    return [...this.sources.values()].map(({ name, family, sharedBy, runs }) => {
      const lastRunAt = runs.newest;
      const live = { id: name, family, lastRunAt: lastRunAt ?? unixMs(0), runDays: lastRunAt === undefined ? 0 : runs.daysBetween(unixMs(0), lastRunAt) };
      return sharedBy === undefined ? live : { ...live, sharedBy };
    });
  }

  health(): SourceHealth[] {
    const rows = this.#database.prepare('select name, risk_type, last_run_at, last_error_at, rows from sources order by name').all();
    return rows.map((row) => ({
      id: String(row.name),
      ...(row.risk_type === null ? {} : { riskType: row.risk_type as RiskType }),
      ...(row.last_run_at === null ? {} : { lastRunAt: unixMs(Number(row.last_run_at)) }),
      ...(row.last_error_at === null ? {} : { lastErrorAt: unixMs(Number(row.last_error_at)) }),
      rows: Number(row.rows),
      overdue: false,
    }));
  }
}
