import { type Kysely, sql, type Transaction } from 'kysely';
import type { RiskType } from '../../contract/risk.ts';
import type { Heartbeat } from '../../core/collection/heartbeat.ts';
import { type CollectionCounts, HOURS_KEPT, type NewestCapture } from '../../core/collection/tally/collection-tally.ts';
import type { Protocol } from '../../core/evidence/protocols.ts';
import { HOUR_MS, type UnixMs, unixMs, utcDay } from '../../core/units.ts';
import {
  type CollectingSource,
  type CollectionActivity,
  type CollectionStore,
  NEWEST_KEPT,
} from '../../service/intake/collection-store.ts';
import type { CollectionTables } from '../database/collection-tables.ts';
import type { Database } from '../database/tables.ts';

/** Rows of one statement: PostgreSQL and SQLite take so many values at a time. */
const ROWS_A_STATEMENT = 500;
const SOURCES_SHOWN = 200;
const PORTS_SHOWN = 12;
/** As many as the evidence store takes sources. */
const HEARTBEATS_KEPT = 5_000;
const PORT_DAYS_KEPT = 8;
/** A source that sent nothing for so long is forgotten here. */
const SOURCE_DAYS_KEPT = 400;

const hourOf = (at: UnixMs): number => Math.floor(at / HOUR_MS);

/** Counts of own collection in SQLite or PostgreSQL. */
export class SqlCollectionStore implements CollectionStore {
  readonly #db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.#db = db;
  }

  add({ hours, sources, ports, newest, heartbeats }: CollectionCounts): Promise<void> {
    return this.#db.transaction().execute(async (trx) => {
      // First, for it makes writers wait for one another, so that no two lock the same rows in different orders.
      const counter = sql<number>`newest + ${newest.length}`;
      const { newest: last } = await trx
        .updateTable('collection_counter')
        .set({ newest: counter })
        .where('id', '=', 1)
        .returning('newest')
        .executeTakeFirstOrThrow();
      for (const rows of slices(hours)) await addHours(trx, rows);
      for (const rows of slices(ports)) await addPorts(trx, rows);
      for (const rows of slices(sources)) await addSources(trx, rows.map(sourceRow));
      for (const rows of slices(heartbeats)) await addHeartbeats(trx, rows);
      for (const rows of slices(newest.map((capture, at) => newestRow(capture, last - newest.length + at + 1))))
        await trx.insertInto('collection_newest').values(rows).execute();
      await trx
        .deleteFrom('collection_newest')
        .where('id', '<=', last - NEWEST_KEPT)
        .execute();
    });
  }

  async read(at: UnixMs, hours: number): Promise<CollectionActivity> {
    const last = hourOf(at);
    const [sources, heartbeats, ofDay, byHour, ports, newest] = await Promise.all([
      this.#db
        .selectFrom('collection_sources')
        .selectAll()
        .orderBy('accepted_at', 'desc')
        .limit(SOURCES_SHOWN)
        .execute(),
      this.heartbeats(),
      this.#capturesSince(last - 23),
      this.#hoursSince(last - hours + 1),
      this.#ports(utcDay(at) - 1),
      this.#db.selectFrom('collection_newest').selectAll().orderBy('id', 'desc').limit(NEWEST_KEPT).execute(),
    ]);
    return {
      sources: collectingSources(sources, heartbeats, ofDay),
      hours: Array.from({ length: hours }, (_, back) => {
        const hour = last - hours + 1 + back;
        return { at: unixMs(hour * HOUR_MS), captures: 0, connections: 0, ...byHour.get(hour) };
      }),
      ports,
      newest: newest.map(captureOf),
    };
  }

  async heartbeats(): Promise<readonly Heartbeat[]> {
    const rows = await this.#db
      .selectFrom('collection_heartbeats')
      .selectAll()
      .orderBy('seen_at', 'desc')
      .limit(SOURCES_SHOWN)
      .execute();
    return rows.map((row) => ({ source: row.source, seenAt: unixMs(row.seen_at), clockOffsetMs: row.clock_offset_ms }));
  }

  async prune(at: UnixMs): Promise<void> {
    await this.#db
      .deleteFrom('collection_hours')
      .where('hour', '<=', hourOf(at) - HOURS_KEPT)
      .execute();
    await this.#db
      .deleteFrom('collection_ports')
      .where('day', '<=', utcDay(at) - PORT_DAYS_KEPT)
      .execute();
    await this.#db
      .deleteFrom('collection_sources')
      .where('accepted_at', '<', at - SOURCE_DAYS_KEPT * 24 * HOUR_MS)
      .execute();
    await this.#db
      .deleteFrom('collection_heartbeats')
      .where('seen_at', '<', at - SOURCE_DAYS_KEPT * 24 * HOUR_MS)
      .execute();
  }

  async #capturesSince(hour: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#db
      .selectFrom('collection_hours')
      .select(['source', (row) => row.fn.sum<number>('captures').as('captures')])
      .where('hour', '>=', hour)
      .groupBy('source')
      .execute();
    return new Map(rows.map(({ source, captures }) => [source, Number(captures)]));
  }

  async #hoursSince(
    hour: number,
  ): Promise<ReadonlyMap<number, { readonly captures: number; readonly connections: number }>> {
    const rows = await this.#db
      .selectFrom('collection_hours')
      .select([
        'hour',
        (row) => row.fn.sum<number>('captures').as('captures'),
        (row) => row.fn.sum<number>('connections').as('connections'),
      ])
      .where('hour', '>=', hour)
      .groupBy('hour')
      .execute();
    return new Map(
      rows.map((row) => [row.hour, { captures: Number(row.captures), connections: Number(row.connections) }]),
    );
  }

  async #ports(fromDay: number): Promise<CollectionActivity['ports']> {
    const rows = await this.#db
      .selectFrom('collection_ports')
      .select(['protocol', 'port', (row) => row.fn.sum<number>('connections').as('connections')])
      .where('day', '>=', fromDay)
      .groupBy(['protocol', 'port'])
      .orderBy(sql`sum(connections)`, 'desc')
      .orderBy('port')
      .limit(PORTS_SHOWN)
      .execute();
    return rows.map((row) => ({ ...row, connections: Number(row.connections) }));
  }
}

type SourceRow = CollectionTables['collection_sources'];

/** Those that sent captures and those that were only heard, the one seen last first. */
function collectingSources(
  rows: readonly SourceRow[],
  heartbeats: readonly Heartbeat[],
  ofDay: ReadonlyMap<string, number>,
): readonly CollectingSource[] {
  const heard = new Map(heartbeats.map(({ source, ...heartbeat }) => [source, { heartbeat }]));
  const sending = rows.map((row) => ({
    source: row.source,
    acceptedAt: unixMs(row.accepted_at),
    capturedAt: unixMs(row.captured_at),
    accepted: row.accepted,
    refused: row.refused,
    capturesOfDay: ofDay.get(row.source) ?? 0,
    ...heard.get(row.source),
  }));
  const known = new Set(rows.map(({ source }) => source));
  const quiet = heartbeats
    .filter(({ source }) => !known.has(source))
    .map(({ source }) => ({ source, accepted: 0, refused: 0, capturesOfDay: 0, ...heard.get(source) }));
  const seenAt = ({ acceptedAt, heartbeat }: CollectingSource): number =>
    Math.max(acceptedAt ?? 0, heartbeat?.seenAt ?? 0);
  return [...sending, ...quiet].sort((a, b) => seenAt(b) - seenAt(a));
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

const addSources = (trx: Transaction<Database>, rows: readonly CollectionTables['collection_sources'][]) =>
  trx
    .insertInto('collection_sources')
    .values(rows)
    .onConflict((conflict) =>
      conflict.column('source').doUpdateSet({
        accepted_at: later('accepted_at'),
        captured_at: later('captured_at'),
        accepted: sql<number>`collection_sources.accepted + excluded.accepted`,
        refused: sql<number>`collection_sources.refused + excluded.refused`,
      }),
    )
    .execute();

/** A source that is not known yet is taken while there is room: a sender may name what it likes, and nothing else bounds the names. */
async function addHeartbeats(trx: Transaction<Database>, rows: readonly Heartbeat[]): Promise<void> {
  const names = rows.map(({ source }) => source);
  const known = await trx.selectFrom('collection_heartbeats').select('source').where('source', 'in', names).execute();
  const { count } = await trx
    .selectFrom('collection_heartbeats')
    .select((row) => row.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const isKnown = new Set(known.map(({ source }) => source));
  let room = HEARTBEATS_KEPT - Number(count);
  const taken = rows.filter(({ source }) => isKnown.has(source) || room-- > 0);
  if (taken.length === 0) return;
  await trx
    .insertInto('collection_heartbeats')
    .values(
      taken.map(({ source, seenAt, clockOffsetMs }) => ({ source, seen_at: seenAt, clock_offset_ms: clockOffsetMs })),
    )
    .onConflict((conflict) =>
      conflict
        .column('source')
        .doUpdateSet({ seen_at: sql<number>`excluded.seen_at`, clock_offset_ms: sql<number>`excluded.clock_offset_ms` })
        .whereRef('collection_heartbeats.seen_at', '<=', 'excluded.seen_at' as never),
    )
    .execute();
}

/** The later of what is there and what is added. SQLite and PostgreSQL have no function for it in common. */
const later = (column: 'accepted_at' | 'captured_at') => {
  const [known, added] = [sql.ref(`collection_sources.${column}`), sql.ref(`excluded.${column}`)];
  return sql<number>`case when ${known} < ${added} then ${added} else ${known} end`;
};

const sourceRow = ({
  source,
  acceptedAt,
  capturedAt,
  accepted,
  refused,
}: CollectionCounts['sources'][number]): CollectionTables['collection_sources'] => ({
  source,
  accepted_at: acceptedAt,
  captured_at: capturedAt,
  accepted,
  refused,
});

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
