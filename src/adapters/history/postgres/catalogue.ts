import type { ClientBase } from 'pg';
import { RISK_TYPES, type RiskType } from '../../../contract/risk.ts';
import type { EvidenceSource, SourceMode } from '../../../core/evidence/capture.ts';
import { RunCalendar } from '../../../core/evidence/run-calendar.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { continues, type EvidencePosition, type LiveSource, NOWHERE, positionOf } from '../../../engine/evidence/evidence-delta.ts';
import type { EvidenceHead, SourceHealth } from '../../../service/ports.ts';
import type { SourceEntry, Track } from '../sqlite/catalogue.ts';

/**
 * The small tables as they stood at one batch: sources, tracks, run times and prefix lengths. Once loaded it belongs to whoever loaded it; reads share the
 * newest one and never change it, so a query's rows are always judged by the catalogue of their own moment.
 */
export class Catalogue {
  readonly sources = new Map<number, SourceEntry>();
  readonly tracks = new Map<number, Track>();
  lengths: Readonly<Record<4 | 6, readonly number[]>> = { 4: [], 6: [] };
  /** Where the store stood; undefined: nothing was loaded yet. */
  position: EvidencePosition | undefined;
  latestAt: UnixMs | undefined;

  /**
   * Loads what the transaction of `client` sees. It must see one state throughout: repeatable read, or the writers' lock.
   * @param before an earlier one, whose run times are taken over
   */
  static async load(client: ClientBase, before?: Catalogue): Promise<Catalogue> {
    const next = new Catalogue();
    const rows = async (sql: string, values: unknown[] = []): Promise<unknown[][]> => (await client.query({ text: sql, values, rowMode: 'array' })).rows;
    const newest = await readHead(client);
    const held = before?.position && (await positionAt(client, before.position.sequence));
    // Run times of another state, which was restored meanwhile, are not this one's.
    const known = before?.position !== undefined && continues(before.position, held) ? before : undefined;
    next.position = positionOf(newest);
    next.latestAt = newest.latestAt;
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
    for (const [source, at] of await rows('select source, at from evidence_runs where sequence > $1 order by source, at', [known?.position?.sequence ?? -1])) {
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

type Asked = Pick<ClientBase, 'query'>;

/** Where the store stands, in one statement and so of one state. */
export async function readHead(client: Asked): Promise<EvidenceHead> {
  const { rows } = await client.query<{ store: string; sequence: number | null; mark: string | null; latest: number | null }>(
    `select i.store, b.sequence, b.mark, (select max(last_run_at) from evidence_sources) as latest
     from evidence_identity i left join (select sequence, mark from evidence_batches order by sequence desc limit 1) b on true`,
  );
  const { store, sequence, mark, latest } = rows[0]!;
  return { store, sequence: sequence ?? 0, mark: mark ?? '', ...(latest === null ? {} : { latestAt: unixMs(latest) }) };
}

/** Where the store stood at a batch; undefined where it has none of this number. */
export async function positionAt(client: Asked, sequence: number): Promise<EvidencePosition | undefined> {
  const { rows } = await client.query<{ store: string; mark: string | null }>(
    'select i.store, b.mark from evidence_identity i left join evidence_batches b on b.sequence = $1',
    [sequence],
  );
  const { store, mark } = rows[0]!;
  if (sequence === 0) return { ...NOWHERE, store };
  return mark === null ? undefined : { store, sequence, mark };
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
