import type { Pool, PoolClient } from 'pg';
import type { PhoneLibraryName } from '../../../contract/phone.ts';
import type { PhoneEntry } from '../../../core/phone/entry.ts';
import type {
  HeldLibrary,
  ImportStamp,
  LibraryOutcome,
  PhoneChange,
  PhoneLibraryWriter,
} from '../../../service/phone/phone-libraries.ts';
import { BULK_WORK } from '../../database/keep-deadline.ts';
import { openPool } from '../../database/open-pool.ts';
import type { NumberKey } from '../number-key.ts';
import { type HeldEntries, type ImportCounts, noCounts, settleChanges } from '../settle-changes.ts';
import { type EntryRow, entryOf } from './open-phone-libraries.ts';
import {
  addLoad,
  allowNoScore,
  COLUMN_NAMES,
  COLUMNS,
  createTable,
  DIRECTORY,
  ensureDirectory,
  PARTITIONS,
  tableOf,
  uuidAt,
} from './phone-tables.ts';

/** Opens the write side over PostgreSQL. */
export function openPostgresLibraryWriter(
  databaseUrl: string,
  key: NumberKey,
  partitions = PARTITIONS,
): PhoneLibraryWriter {
  return new PostgresLibraryWriter(databaseUrl, key, partitions);
}

/** Every import is one transaction under an advisory lock of its library; readers see the library before it or after it. */
class PostgresLibraryWriter implements PhoneLibraryWriter {
  readonly #pool: Pool;
  readonly #key: NumberKey;
  readonly #partitions: number;

  constructor(databaseUrl: string, key: NumberKey, partitions: number) {
    // A full load is one long transaction, and an import waits for the one before it. The third connection alters tables of earlier versions.
    this.#pool = openPool(databaseUrl, { max: 3, connectMs: 5000, patience: BULK_WORK });
    this.#key = key;
    this.#partitions = partitions;
  }

  async held(library: PhoneLibraryName): Promise<HeldLibrary | undefined> {
    await ensureDirectory(this.#pool);
    const { rows } = await this.#pool.query(
      `select data_version, minute_version from ${DIRECTORY} where library = $1`,
      [library],
    );
    return rows[0] === undefined
      ? undefined
      : { dataVersion: rows[0].data_version, incremented: rows[0].minute_version !== null };
  }

  async replace(
    library: PhoneLibraryName,
    batches: AsyncIterable<readonly PhoneChange[]>,
    stamp: ImportStamp,
  ): Promise<LibraryOutcome> {
    return this.#locked(library, async (client, present) => {
      const generation = (present ?? 0) + 1;
      const table = tableOf(library, generation);
      for (const statement of createTable(table, this.#partitions)) await client.query(statement);
      await client.query(`alter table ${table} add primary key (key)`);
      const { counts } = await this.#write(client, table, batches, false);
      const records = await count(client, table);
      await client.query(
        `insert into ${DIRECTORY} (library, generation, key_id, data_version, loaded_at, records) values ($1, $2, $3, $4, $5, $6)
         on conflict (library) do update set generation = excluded.generation, key_id = excluded.key_id, data_version = excluded.data_version,
           loaded_at = excluded.loaded_at, minute_version = null, last_increment_at = null, records = excluded.records`,
        [library, generation, this.#key.id, stamp.dataVersion, new Date(stamp.at), records],
      );
      if (stamp.shipped !== true) await addLoad(client, library, { full: [stamp.at] });
      if (present !== undefined) await client.query(`drop table ${tableOf(library, present)}`);
      return { ...counts, records };
    });
  }

  async apply(
    library: PhoneLibraryName,
    batches: AsyncIterable<readonly PhoneChange[]>,
    stamp: ImportStamp,
  ): Promise<LibraryOutcome> {
    return this.#locked(library, async (client, present, keyId) => {
      if (present === undefined)
        throw new Error(`library ${library} has no full load yet; import one with --full first`);
      if (keyId !== this.#key.id)
        throw new Error(`library ${library} was loaded with another PULSE_SECRET; load it again with --full`);
      await allowNoScore(this.#pool, tableOf(library, present));
      const { counts, change } = await this.#write(client, tableOf(library, present), batches, true);
      if (counts.unchanged > 0 && counts.upserts + counts.deletions === 0) return counts;
      await client.query(
        `update ${DIRECTORY} set minute_version = $2, last_increment_at = $3, records = records + $4 where library = $1`,
        [library, stamp.dataVersion, new Date(stamp.at), change],
      );
      await addLoad(client, library, { increments: [stamp.at] });
      return counts;
    });
  }

  async #locked<Result>(
    library: PhoneLibraryName,
    work: (client: PoolClient, generation: number | undefined, keyId: string | undefined) => Promise<Result>,
  ): Promise<Result> {
    await ensureDirectory(this.#pool);
    const client = await this.#pool.connect();
    try {
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock(hashtext($1))', [`${DIRECTORY}:${library}`]);
      const { rows } = await client.query(`select generation, key_id from ${DIRECTORY} where library = $1`, [library]);
      const result = await work(client, rows[0]?.generation, rows[0]?.key_id);
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      client.release(true);
      throw error;
    }
  }

  /** Writes batch by batch. `change`: by how much the number of records changed; a full load counts its table once at the end. */
  async #write(
    client: PoolClient,
    table: string,
    batches: AsyncIterable<readonly PhoneChange[]>,
    merging: boolean,
  ): Promise<{ readonly counts: ImportCounts; readonly change: number }> {
    const counts = noCounts();
    let change = 0;
    const held: HeldEntries = async (digits, hashes) => {
      const keys = digits.map((_, index) => uuidAt(hashes, index));
      const entries = await present(client, table, keys);
      return keys.map((key) => entries.get(key));
    };
    for await (const { hashes, changes } of settleChanges(this.#key, batches, counts, merging ? held : undefined)) {
      const last = new Map(changes.map(({ index, entry }) => [uuidAt(hashes, index), entry]));
      const rows = [...last].flatMap(([key, entry]) => (entry === undefined ? [] : [[key, entry] as const]));
      const gone = [...last].flatMap(([key, entry]) => (entry === undefined ? [key] : []));
      const known = merging
        ? await count(client, `${table} where key = any($1::uuid[])`, [rows.map(([key]) => key)])
        : 0;
      await upsert(client, table, rows);
      change += rows.length - known - (await remove(client, table, gone));
    }
    return { counts, change };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

async function count(client: PoolClient, from: string, values: unknown[] = []): Promise<number> {
  const { rows } = await client.query(`select count(*) as records from ${from}`, values);
  return Number(rows[0]?.records);
}

async function present(client: PoolClient, table: string, keys: readonly string[]): Promise<Map<string, PhoneEntry>> {
  const { rows } = await client.query<EntryRow>(
    `select *, replace(key::text, '-', '') as key from ${table} where key = any($1::uuid[])`,
    [keys],
  );
  return new Map(rows.map((row) => [row.key, entryOf(row)]));
}

const seconds = (at: number | undefined): number | null => (at === undefined ? null : Math.floor(at / 1000));

/** One statement a batch: the rows travel as one JSON parameter. */
async function upsert(
  client: PoolClient,
  table: string,
  rows: readonly (readonly [string, PhoneEntry])[],
): Promise<void> {
  if (rows.length === 0) return;
  const json = JSON.stringify(
    rows.map(
      ([key, entry]): Record<keyof EntryRow, unknown> => ({
        key,
        risk: entry.risk ?? null,
        tags: entry.tags,
        first_seen: seconds(entry.firstSeen),
        last_active: seconds(entry.lastActive),
        observed_days: entry.observedDays ?? null,
        province: entry.card?.province ?? null,
        city_code: entry.card?.cityCode ?? null,
        carrier: entry.card?.carrier ?? null,
        attribute: entry.card?.attribute ?? null,
        card_type: entry.card?.cardType ?? null,
      }),
    ),
  );
  await client.query(
    `insert into ${table} (key, ${COLUMN_NAMES})
     select key, ${COLUMN_NAMES} from jsonb_to_recordset($1::jsonb) as r(key uuid, ${COLUMN_NAMES.map((name) => `${name} ${COLUMNS[name]}`)})
     on conflict (key) do update set ${COLUMN_NAMES.map((name) => `${name} = excluded.${name}`)}`,
    [json],
  );
}

async function remove(client: PoolClient, table: string, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) return 0;
  const { rowCount } = await client.query(`delete from ${table} where key = any($1::uuid[])`, [keys]);
  return rowCount ?? 0;
}
