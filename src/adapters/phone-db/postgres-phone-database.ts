import type { ClientBase, Pool, PoolClient } from 'pg';
import type { PhoneLibraryName } from '../../contract/phone.ts';
import { BULK_DEADLINE } from '../database/keep-deadline.ts';
import { migratePostgres } from '../database/migrate.ts';
import { openPool } from '../database/open-pool.ts';
import {
  COLUMNS,
  DIRECTORY,
  PHONE_TABLES,
  type PhoneDatabase,
  type PhoneSession,
  type StoredRecord,
} from './phone-database.ts';

const UNDEFINED_TABLE = '42P01';
const TYPES = 'risk smallint, tags text, first_seen bigint, last_active bigint, observed_days integer, card text';

export const PHONE_PLACE = 'the phone libraries in PULSE_DATABASE_URL';
const CREATING = 7_301_002;

const migratePhones = (client: ClientBase): Promise<void> =>
  migratePostgres(client, PHONE_TABLES, PHONE_PLACE, CREATING);

export class PostgresPhoneDatabase implements PhoneDatabase {
  readonly bytes = 'bytea';
  readonly #pool: Pool;

  /** @param options with `writes`, an import may be one long transaction, and waits for the one before it */
  constructor(databaseUrl: string, { writes = false } = {}) {
    this.#pool = openPool(databaseUrl, writes ? { max: 2, connectMs: 5000, patience: BULK_DEADLINE } : {});
  }

  query<Row>(text: string, parameters: Parameters<PhoneSession['query']>[1]): Promise<readonly Row[]> {
    return ask(this.#pool, text, parameters);
  }

  async write<Result>(library: PhoneLibraryName, work: (session: PhoneSession) => Promise<Result>): Promise<Result> {
    const client = await this.#pool.connect();
    try {
      await migratePhones(client);
      await client.query('begin');
      await client.query('select pg_advisory_xact_lock(hashtext($1))', [`${DIRECTORY}:${library}`]);
      const result = await work(sessionOf(client));
      await client.query('commit');
      client.release();
      return result;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      client.release(true);
      throw error;
    }
  }

  lacksTable(error: unknown): boolean {
    return error instanceof Error && 'code' in error && error.code === UNDEFINED_TABLE;
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

async function ask<Row>(
  client: Pool | PoolClient,
  text: string,
  parameters: Parameters<PhoneSession['query']>[1],
): Promise<readonly Row[]> {
  return (await client.query(text, [...parameters])).rows as Row[];
}

const hex = ({ key }: StoredRecord): string => Buffer.from(key.buffer, key.byteOffset, key.length).toString('hex');

function sessionOf(client: PoolClient): PhoneSession {
  const put = async (table: string, records: readonly StoredRecord[]): Promise<void> => {
    const gone = records.filter(({ last_active }) => last_active === null).map(hex);
    const rows = records
      .filter(({ last_active }) => last_active !== null)
      .map((record) => ({ ...record, key: hex(record) }));
    await client.query(
      `insert into ${table} (key, ${COLUMNS})
       select decode(key, 'hex'), ${COLUMNS} from jsonb_to_recordset($1::jsonb) as r(key text, ${TYPES})
       on conflict (key) do update set ${COLUMNS.map((name) => `${name} = excluded.${name}`)}`,
      [JSON.stringify(rows)],
    );
    if (gone.length > 0)
      await client.query(
        `delete from ${table} where key in (select decode(key, 'hex') from unnest($1::text[]) as gone(key))`,
        [gone],
      );
  };
  return {
    query: (text, parameters) => ask(client, text, parameters),
    put,
    async fill(table, batches) {
      await createLibraryTable(client, table);
      for await (const records of batches) await put(table, records);
      await client.query(`analyze ${table}`);
      const { rows } = await client.query(`select count(*) as records from ${table}`);
      return Number(rows[0]?.records);
    },
  };
}

export async function createLibraryTable(client: ClientBase, table: string): Promise<void> {
  await client.query(`create table ${table} (key bytea primary key, ${TYPES})`);
}
