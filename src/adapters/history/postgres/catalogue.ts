import type { ClientBase } from 'pg';
import { RISK_TYPES, type RiskType } from '../../../contract/risk.ts';
import type { EvidenceSource, SourceMode } from '../../../core/evidence/capture.ts';
import { RunCalendar } from '../../../core/evidence/run-calendar.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import type { LiveSource } from '../../../engine/evidence/evidence-delta.ts';
import type { SourceHealth } from '../../../service/ports.ts';
import type { SourceEntry, Track } from '../sqlite/catalogue.ts';

/**
 * The small tables as they stood at one batch: sources, tracks, run times and prefix lengths. Once loaded it belongs to whoever loaded it; reads share the
 * newest one and never change it, so a query's rows are always judged by the catalogue of their own moment.
 */
export class Catalogue {
  readonly sources = new Map<number, SourceEntry>();
  readonly tracks = new Map<number, Track>();
  lengths: Readonly<Record<4 | 6, readonly number[]>> = { 4: [], 6: [] };
  /** Sequence of the newest batch inside; -1: nothing was loaded yet. */
  head = -1;
  latestAt: UnixMs | undefined;

  /**
   * Loads what the transaction of `client` sees. It must see one state throughout: repeatable read, or the writers' lock.
   * @param before an earlier one, whose run times are taken over
   */
  static async load(client: ClientBase, before?: Catalogue): Promise<Catalogue> {
    const next = new Catalogue();
    const rows = async (sql: string, values: unknown[] = []): Promise<unknown[][]> => (await client.query({ text: sql, values, rowMode: 'array' })).rows;
    const [[head, latestAt]] = (await rows(
      'select (select coalesce(max(sequence), 0) from evidence_batches), (select max(last_run_at) from evidence_sources)',
    )) as [[number, number | null]];
    const known = before !== undefined && before.head <= head ? before : undefined;
    next.head = head;
    next.latestAt = latestAt === null ? undefined : unixMs(latestAt);
    const calendars = await next.#calendars(rows, known);
    for (const [id, name, family, mode, sharedBy] of await rows('select id, name, family, mode, shared_by from evidence_sources order by id'))
      next.sources.set(id as number, {
        id: id as number,
        name: name as string,
        family: family as string,
        mode: mode as SourceMode,
        sharedBy: (sharedBy ?? undefined) as SourceEntry['sharedBy'],
        runs: calendars.get(id as number) ?? new RunCalendar(),
      });
    for (const [id, source, type, pool, presence] of await rows('select id, source, risk_type, pool, presence from evidence_tracks'))
      next.tracks.set(id as number, {
        id: id as number,
        source: next.sources.get(source as number)!,
        riskType: RISK_TYPES[type as number]!,
        pool: pool as string,
        presence: presence as boolean,
      });
    const lengths: Record<4 | 6, number[]> = { 4: [], 6: [] };
    for (const [family, bits] of await rows('select family, bits from evidence_lengths order by family, bits')) lengths[family as 4 | 6].push(bits as number);
    next.lengths = lengths;
    return next;
  }

  /** Run times by source: those of `known`, and copies with what came since. */
  async #calendars(rows: (sql: string, values: unknown[]) => Promise<unknown[][]>, known: Catalogue | undefined): Promise<Map<number, RunCalendar>> {
    const calendars = new Map<number, RunCalendar>();
    for (const { id, runs } of known?.sources.values() ?? []) calendars.set(id, runs);
    const copied = new Set<number>();
    for (const [source, at] of await rows('select source, at from evidence_runs where sequence > $1 order by source, at', [known?.head ?? -1])) {
      const id = source as number;
      if (!copied.has(id)) calendars.set(id, calendars.get(id)?.copy() ?? new RunCalendar());
      copied.add(id);
      calendars.get(id)!.add(at as UnixMs);
    }
    return calendars;
  }

  tracksOf(source: SourceEntry, presence: boolean): Track[] {
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

/** The id of the source's row, made or brought up to date. Single captures sent in under a listing's name do not redefine it. */
export async function upsertSource(client: ClientBase, source: EvidenceSource): Promise<number> {
  await client.query(
    `insert into evidence_sources as s (name, family, mode, risk_type, shared_by) values ($1, $2, $3, $4, $5)
     on conflict (name) do update set family = excluded.family, mode = excluded.mode, risk_type = excluded.risk_type, shared_by = excluded.shared_by
     where s.mode = 'events' or excluded.mode <> 'events'`,
    [source.id, source.family, source.mode, source.riskType ?? null, source.sharedBy ?? null],
  );
  const { rows } = await client.query<{ id: number }>('select id from evidence_sources where name = $1', [source.id]);
  return rows[0]!.id;
}

/** The id of one (source, risk type, pool), made when it is new. */
export async function upsertTrack(client: ClientBase, source: number, type: number, pool: string, presence: boolean): Promise<number> {
  const key = [source, type, pool, presence];
  await client.query('insert into evidence_tracks (source, risk_type, pool, presence) values ($1, $2, $3, $4) on conflict do nothing', key);
  const { rows } = await client.query<{ id: number }>(
    'select id from evidence_tracks where source = $1 and risk_type = $2 and pool = $3 and presence = $4',
    key,
  );
  return rows[0]!.id;
}

export const HEALTH = 'select name, risk_type, last_run_at, last_error_at, rows from evidence_sources order by name';

export interface HealthRow {
  readonly name: string;
  readonly risk_type: RiskType | null;
  readonly last_run_at: number | null;
  readonly last_error_at: number | null;
  readonly rows: number;
}

export const healthOf = (row: HealthRow): SourceHealth => ({
  id: row.name,
  ...(row.risk_type === null ? {} : { riskType: row.risk_type }),
  ...(row.last_run_at === null ? {} : { lastRunAt: unixMs(row.last_run_at) }),
  ...(row.last_error_at === null ? {} : { lastErrorAt: unixMs(row.last_error_at) }),
  rows: row.rows,
  overdue: false,
});
