import { sql, type Transaction } from 'kysely';
import type { RiskType } from '../../contract/risk.ts';
import {
  type CollectionCounts,
  type Heartbeat,
  HOUR_BUCKETS,
  type NewestCapture,
} from '../../core/collection/tally/collection-tally.ts';
import type { Protocol } from '../../core/evidence/protocols.ts';
import { HOUR_MS, type UnixMs, unixMs, utcDay } from '../../core/units.ts';
import {
  type CollectionActivity,
  type CollectionSource,
  type CollectionStore,
  NEWEST_KEPT,
} from '../../service/intake/intake-ports.ts';
import { firstOf, rowsOf, SqlStore } from '../database/sql-store.ts';
import type { CollectionTables, Database } from '../database/tables.ts';

/** PostgreSQL and SQLite both accept this number of values in a statement. */
const ROWS_A_STATEMENT = 500;
const SOURCES_SHOWN = 200;
const PORTS_SHOWN = 12;
const SOURCES_KEPT = 5_000;
const PORT_DAYS_KEPT = 8;
const SOURCE_DAYS_KEPT = 400;

const hourOf = (at: UnixMs): number => Math.floor(at / HOUR_MS);

export class SqlCollectionStore extends SqlStore implements CollectionStore {
  add({ hours, sources, ports, newest, heartbeats }: CollectionCounts): Promise<void> {
    return this.transaction(async (trx) => {
      // This statement must come first: it makes writers wait for each other, so that no two lock the same
      // rows in different orders.
      const { length } = newest;
      const more = sql<Counter>`update collection_counter set newest = newest + ${length} where id = 1 returning newest`;
      const { newest: last } = (await firstOf(trx, more))!;
      for (const rows of slices(hours)) await addHours(trx, rows);
      for (const rows of slices(ports)) await addPorts(trx, rows);
      for (const rows of slices(await withRoom(trx, sourceRows({ sources, heartbeats })))) await addSources(trx, rows);
      for (const rows of slices(newest.map((capture, at) => newestRow(capture, last - length + at + 1))))
        await trx.insertInto('collection_newest').values(rows).execute();
      await sql`delete from collection_newest where id <= ${last - NEWEST_KEPT}`.execute(trx);
    });
  }

  async read(at: UnixMs, hours: number): Promise<CollectionActivity> {
    const last = hourOf(at);
    const [sources, ofDay, byHour, ports, newest] = await Promise.all([
      this.db.selectFrom('collection_sources').selectAll().orderBy(SEEN_LAST, 'desc').limit(SOURCES_SHOWN).execute(),
      this.#capturesSince(last - 23),
      this.#hoursSince(last - hours + 1),
      this.#ports(utcDay(at) - 1),
      this.db.selectFrom('collection_newest').selectAll().orderBy('id', 'desc').limit(NEWEST_KEPT).execute(),
    ]);
    return {
      sources: sources.map((row) => collectingSource(row, ofDay)),
      hours: Array.from({ length: hours }, (_, back) => {
        const hour = last - hours + 1 + back;
        return { at: unixMs(hour * HOUR_MS), captures: 0, connections: 0, ...byHour.get(hour) };
      }),
      ports,
      newest: newest.map(captureOf),
    };
  }

  async heartbeats(): Promise<readonly Heartbeat[]> {
    const seen = sql`where seen_at is not null order by seen_at desc limit ${SOURCES_SHOWN}`;
    const rows = await rowsOf(
      this.db,
      sql<SourceRow>`select source, seen_at, clock_offset_ms from collection_sources ${seen}`,
    );
    return rows.flatMap((row) => heartbeatOf(row) ?? []);
  }

  async prune(at: UnixMs): Promise<void> {
    await sql`delete from collection_hours where hour <= ${hourOf(at) - HOUR_BUCKETS}`.execute(this.db);
    await sql`delete from collection_ports where day <= ${utcDay(at) - PORT_DAYS_KEPT}`.execute(this.db);
    const forgotten = at - SOURCE_DAYS_KEPT * 24 * HOUR_MS;
    await sql`delete from collection_sources where ${SEEN_LAST} < ${forgotten}`.execute(this.db);
  }

  async #capturesSince(hour: number): Promise<ReadonlyMap<string, number>> {
    const rows = await rowsOf(
      this.db,
      sql<HourRow>`select source, sum(captures) captures from collection_hours where hour >= ${hour} group by source`,
    );
    return new Map(rows.map(({ source, captures }) => [source, Number(captures)]));
  }

  async #hoursSince(
    hour: number,
  ): Promise<ReadonlyMap<number, { readonly captures: number; readonly connections: number }>> {
    const sums = sql`sum(captures) as captures, sum(connections) as connections`;
    const rows = await rowsOf(
      this.db,
      sql<HourRow>`select hour, ${sums} from collection_hours where hour >= ${hour} group by hour`,
    );
    return new Map(
      rows.map((row) => [row.hour, { captures: Number(row.captures), connections: Number(row.connections) }]),
    );
  }

  async #ports(fromDay: number): Promise<CollectionActivity['ports']> {
    const rows = await rowsOf(
      this.db,
      sql<CollectionActivity['ports'][number]>`
        select protocol, port, sum(connections) as connections from collection_ports where day >= ${fromDay}
        group by protocol, port order by sum(connections) desc, port limit ${PORTS_SHOWN}`,
    );
    return rows.map((row) => ({ ...row, connections: Number(row.connections) }));
  }
}

type SourceRow = CollectionTables['collection_sources'];
type HourRow = CollectionTables['collection_hours'];
type Counter = CollectionTables['collection_counter'];
type CapturesColumn = 'accepted_at' | 'captured_at' | 'accepted' | 'refused';

const SEEN_LAST = sql<number>`case when coalesce(accepted_at, 0) > coalesce(seen_at, 0) then accepted_at else seen_at end`;

const heartbeatOf = ({ source, seen_at, clock_offset_ms }: Omit<SourceRow, CapturesColumn>): Heartbeat | undefined =>
  seen_at === null ? undefined : { source, seenAt: unixMs(seen_at), clockOffsetMs: clock_offset_ms! };

function collectingSource(row: SourceRow, ofDay: ReadonlyMap<string, number>): CollectionSource {
  const { source, ...heartbeat } = heartbeatOf(row) ?? { source: row.source };
  return {
    source,
    ...(row.accepted_at === null ? {} : { acceptedAt: unixMs(row.accepted_at), capturedAt: unixMs(row.captured_at!) }),
    accepted: row.accepted,
    refused: row.refused,
    capturesOfDay: ofDay.get(source) ?? 0,
    ...('seenAt' in heartbeat ? { heartbeat } : {}),
  };
}

function slices<Row>(rows: readonly Row[]): readonly (readonly Row[])[] {
  const parts = Math.ceil(rows.length / ROWS_A_STATEMENT);
  return Array.from({ length: parts }, (_, part) => rows.slice(part * ROWS_A_STATEMENT, (part + 1) * ROWS_A_STATEMENT));
}

const addHours = (trx: Transaction<Database>, rows: CollectionCounts['hours']) =>
  trx
    .insertInto('collection_hours')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['hour', 'source']).doUpdateSet({
        captures: sql<number>`collection_hours.captures + excluded.captures`,
        connections: sql<number>`collection_hours.connections + excluded.connections`,
      }),
    )
    .execute();

const addPorts = (trx: Transaction<Database>, rows: CollectionCounts['ports']) =>
  trx
    .insertInto('collection_ports')
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(['day', 'protocol', 'port'])
        .doUpdateSet({ connections: sql<number>`collection_ports.connections + excluded.connections` }),
    )
    .execute();

const addSources = (trx: Transaction<Database>, rows: readonly SourceRow[]) =>
  trx
    .insertInto('collection_sources')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('source').doUpdateSet({
        accepted_at: later('accepted_at'),
        captured_at: later('captured_at'),
        accepted: sql<number>`collection_sources.accepted + excluded.accepted`,
        refused: sql<number>`collection_sources.refused + excluded.refused`,
        clock_offset_ms: later('seen_at', 'clock_offset_ms'),
        seen_at: later('seen_at'),
      }),
    )
    .execute();

/**
 * Picks the later of the stored and the added value; SQLite and PostgreSQL have no common function for this.
 * @param column a value stored together with that time
 */
const later = (by: 'accepted_at' | 'captured_at' | 'seen_at', column: keyof SourceRow = by) => {
  const [known, added] = [sql.ref(`collection_sources.${by}`), sql.ref(`excluded.${by}`)];
  return sql<number>`case when ${known} > ${added} or ${added} is null then ${sql.ref(`collection_sources.${column}`)} else ${sql.ref(`excluded.${column}`)} end`;
};

function sourceRows({ sources, heartbeats }: Pick<CollectionCounts, 'sources' | 'heartbeats'>): readonly SourceRow[] {
  const rows = new Map<string, SourceRow>();
  for (const { source, acceptedAt, capturedAt, accepted, refused } of sources)
    rows.set(source, { ...QUIET, source, accepted_at: acceptedAt, captured_at: capturedAt, accepted, refused });
  for (const { source, seenAt, clockOffsetMs } of heartbeats)
    rows.set(source, { ...QUIET, source, ...rows.get(source), seen_at: seenAt, clock_offset_ms: clockOffsetMs });
  return [...rows.values()];
}

const QUIET = { accepted_at: null, captured_at: null, accepted: 0, refused: 0, seen_at: null, clock_offset_ms: null };

/**
 * Drops new sources that only sent heartbeats when the maximum is reached. A sender may use any name, and
 * nothing else limits the names.
 */
async function withRoom(trx: Transaction<Database>, rows: readonly SourceRow[]): Promise<readonly SourceRow[]> {
  if (rows.every((row) => row.accepted_at !== null)) return rows;
  const known = await trx.selectFrom('collection_sources').select('source').execute();
  const isKnown = new Set(known.map(({ source }) => source));
  let room = SOURCES_KEPT - known.length;
  return rows.filter((row) => row.accepted_at !== null || isKnown.has(row.source) || room-- > 0);
}

type NewestRow = CollectionTables['collection_newest'];

const newestRow = (
  { at, ip, source, riskType, protocol = '' as Protocol, port = -1 }: NewestCapture,
  id: number,
): NewestRow => ({
  id,
  at,
  ip,
  source,
  risk_type: riskType,
  protocol,
  port,
});

const captureOf = (row: NewestRow): NewestCapture => ({
  at: unixMs(row.at),
  ip: row.ip,
  source: row.source,
  riskType: row.risk_type as RiskType,
  ...(row.protocol === '' ? {} : { protocol: row.protocol as Protocol }),
  ...(row.port < 0 ? {} : { port: row.port }),
});
