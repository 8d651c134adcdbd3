import { type Selectable, sql, type Transaction } from 'kysely';
import type { BeaconRiskType } from '../../contract/risk.ts';
import type { Beacon } from '../../core/collection/beacon.ts';
import { DAY_MS, type UnixMs, unixMs, utcDay } from '../../core/units.ts';
import type { By } from '../../service/accounts/account-store.ts';
import {
  type BeaconActivity,
  type BeaconStore,
  DAY_KEPT_DAYS,
  EXIT_KEPT_DAYS,
  type ExitState,
  type NewBeacon,
} from '../../service/beacons/beacon-store.ts';
import { lockChanges, recordChange } from '../database/record-change.ts';
import { firstOf, rowsOf, SqlStore } from '../database/sql-store.ts';
import type { BeaconTables, Database } from '../database/tables.ts';

const COLUMNS = ['id', 'prefix', 'risk_type', 'pool', 'created_at', 'expires_at', 'revoked_at'] as const;

const LISTED = sql.raw([...COLUMNS, 'last_seen_at', 'exits'].join(', '));

export class SqlBeaconStore extends SqlStore implements BeaconStore {
  create(beacon: NewBeacon, by: By, activeMax: number): Promise<Beacon | 'too_many'> {
    return this.transaction(async (trx) => {
      await lockChanges(trx);
      if ((await countActive(trx, by.at)) >= activeMax) return 'too_many';
      const { hash: _kept, id, ...detail } = beacon;
      await recordChange(trx, { ...by, action: 'beacon.create', topic: NOT_CACHED, subject: id, detail });
      const row = await trx
        .insertInto('beacons')
        .values(rowOf(beacon, by.at))
        .returning(COLUMNS)
        .executeTakeFirstOrThrow();
      return beaconOf(row);
    });
  }

  revoke(id: string, by: By): Promise<Beacon | 'unknown_beacon'> {
    return this.transaction(async (trx) => {
      const found = await trx.selectFrom('beacons').select(COLUMNS).where('id', '=', id).executeTakeFirst();
      if (found === undefined) return 'unknown_beacon';
      if (found.revoked_at !== null) return beaconOf(found);
      await trx.updateTable('beacons').set({ revoked_at: by.at }).where('id', '=', id).execute();
      await recordChange(trx, {
        ...by,
        action: 'beacon.revoke',
        topic: NOT_CACHED,
        subject: id,
        detail: { prefix: found.prefix },
      });
      return beaconOf({ ...found, revoked_at: by.at });
    });
  }

  async findByHash(hash: string): Promise<Beacon | undefined> {
    const row = await this.db.selectFrom('beacons').select(COLUMNS).where('hash', '=', hash).executeTakeFirst();
    return row === undefined ? undefined : beaconOf(row);
  }

  async list(fromDay: number): Promise<readonly BeaconActivity[]> {
    const rows = await rowsOf(
      this.db,
      sql<Omit<BeaconRow, 'hash'>>`select ${LISTED} from beacons order by created_at, id`,
    );
    const since = sql<DayRow>`select * from beacon_days where day >= ${fromDay} order by day`;
    const days = await rowsOf(this.db, since);
    const byBeacon = Map.groupBy(days, ({ beacon_id }) => beacon_id);
    return rows.map((row) => ({
      ...beaconOf(row),
      ...(row.last_seen_at === null ? {} : { lastSeenAt: unixMs(row.last_seen_at) }),
      exits: row.exits,
      days: (byBeacon.get(row.id) ?? []).map(({ day, captures, exits, new_exits }) => ({
        day,
        captures,
        exits,
        newExits: new_exits,
      })),
    }));
  }

  async exitState(id: string, ip: string, at: UnixMs): Promise<ExitState> {
    const exit = await firstOf(this.db, exitAt(id, ip));
    const today = sql<DayRow>`select exits from beacon_days where beacon_id = ${id} and day = ${utcDay(at)}`;
    const day = await firstOf(this.db, today);
    return { lastAt: exit === undefined ? undefined : unixMs(exit.last_at), exitsOfDay: day?.exits ?? 0 };
  }

  countExit(id: string, ip: string, at: UnixMs): Promise<void> {
    return this.transaction(async (trx) => {
      // This statement must come first: it locks the row of the beacon, so captures of one beacon wait for
      // each other and the next read stays true until this transaction ends.
      const later = sql<number>`case when last_seen_at is null or last_seen_at < ${at} then ${at} else last_seen_at end`;
      await trx.updateTable('beacons').set({ last_seen_at: later }).where('id', '=', id).execute();
      const known = await firstOf(trx, exitAt(id, ip));
      const isNew = known === undefined ? 1 : 0;
      const isFirstOfDay = known === undefined || utcDay(unixMs(known.last_at)) < utcDay(at) ? 1 : 0;
      await keepExit(trx, { beacon_id: id, ip, last_at: Math.max(at, known?.last_at ?? at) });
      await countDay(trx, { beacon_id: id, day: utcDay(at), captures: 1, exits: isFirstOfDay, new_exits: isNew });
      if (isNew === 1)
        await trx.updateTable('beacons').set({ exits: sql<number>`exits + 1` }).where('id', '=', id).execute();
    });
  }

  async newestExits(limit: number): Promise<readonly string[]> {
    const rows = await rowsOf(this.db, sql<ExitRow>`select ip from beacon_exits order by last_at desc limit ${limit}`);
    return [...new Set(rows.map(({ ip }) => ip))];
  }

  async prune(at: UnixMs): Promise<void> {
    await sql`delete from beacon_exits where last_at < ${at - EXIT_KEPT_DAYS * DAY_MS}`.execute(this.db);
    await sql`delete from beacon_days where day < ${utcDay(at) - DAY_KEPT_DAYS}`.execute(this.db);
  }
}

/** Tokens are looked up in the store each time, so a cached beacon is never out of date. */
const NOT_CACHED = 'note';

async function countActive(trx: Transaction<Database>, at: UnixMs): Promise<number> {
  const active = sql`revoked_at is null and (expires_at is null or expires_at > ${at})`;
  const counted = await firstOf(trx, sql<{ count: number }>`select count(*) as count from beacons where ${active}`);
  return Number(counted!.count);
}

const exitAt = (id: string, ip: string) =>
  sql<ExitRow>`select last_at from beacon_exits where beacon_id = ${id} and ip = ${ip}`;

const keepExit = (trx: Transaction<Database>, row: ExitRow) =>
  trx
    .insertInto('beacon_exits')
    .values(row)
    .onConflict((conflict) => conflict.columns(['beacon_id', 'ip']).doUpdateSet({ last_at: row.last_at }))
    .execute();

const countDay = (trx: Transaction<Database>, row: DayRow) =>
  trx
    .insertInto('beacon_days')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['beacon_id', 'day']).doUpdateSet({
        captures: sql<number>`beacon_days.captures + ${row.captures}`,
        exits: sql<number>`beacon_days.exits + ${row.exits}`,
        new_exits: sql<number>`beacon_days.new_exits + ${row.new_exits}`,
      }),
    )
    .execute();

type BeaconRow = BeaconTables['beacons'];
type ExitRow = BeaconTables['beacon_exits'];
type DayRow = BeaconTables['beacon_days'];

const beaconOf = (row: Pick<Selectable<BeaconRow>, (typeof COLUMNS)[number]>): Beacon => ({
  id: row.id,
  prefix: row.prefix,
  riskType: row.risk_type as BeaconRiskType,
  ...(row.pool === null ? {} : { pool: row.pool }),
  createdAt: unixMs(row.created_at),
  ...(row.expires_at === null ? {} : { expiresAt: unixMs(row.expires_at) }),
  ...(row.revoked_at === null ? {} : { revokedAt: unixMs(row.revoked_at) }),
});

const rowOf = (beacon: NewBeacon, at: UnixMs): BeaconRow => ({
  id: beacon.id,
  hash: beacon.hash,
  prefix: beacon.prefix,
  risk_type: beacon.riskType,
  pool: beacon.pool ?? null,
  created_at: at,
  expires_at: beacon.expiresAt ?? null,
  revoked_at: null,
  last_seen_at: null,
  exits: 0,
});
