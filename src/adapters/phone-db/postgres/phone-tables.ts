import type { Pool, PoolClient } from 'pg';
import type { PhoneLibraryName } from '../../../contract/phone.ts';
import { type LoadTimes, NO_LOADS, withLoads } from '../../../service/phone/phone-libraries.ts';

/**
 * One row a library says which table serves and under which versions; one hash-partitioned table a generation. A full load fills a new table and
 * changes the row in one transaction. Keys are the 128-bit keyed hashes as uuid, the most compact type with equality: no number is ever stored or sent.
 */
export const DIRECTORY = 'phone_library';

/** Partitions of a generation: each can be vacuumed and indexed alone, and moved to a machine of its own. */
export const PARTITIONS = 64;

const CREATE_DIRECTORY = `create table if not exists ${DIRECTORY} (
  library text primary key,
  generation bigint not null,
  key_id text not null,
  data_version text not null,
  loaded_at timestamptz not null,
  minute_version text,
  last_increment_at timestamptz,
  records bigint not null
)`;

/** When loads came to each library (LoadTimes as JSON). A table of its own: nodes of an earlier version read every column of the directory. */
const LOADS = 'phone_library_loads';

const CREATE_LOADS = `create table if not exists ${LOADS} (library text primary key, loads jsonb not null)`;

/** Makes what is missing of the directory. Two processes may do so at once: "if not exists" does not keep the second from a duplicate type name. */
export async function ensureDirectory(client: Pool | PoolClient): Promise<void> {
  const { rows } = await client.query(
    `select to_regclass('${DIRECTORY}') as directory, to_regclass('${LOADS}') as loads`,
  );
  if (rows[0]?.directory === null) await create(client, CREATE_DIRECTORY);
  if (rows[0]?.loads === null) await create(client, CREATE_LOADS);
}

async function create(client: Pool | PoolClient, statement: string): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    if (!ALREADY_THERE.has((error as { code?: string }).code ?? '')) throw error;
  }
}

/** Times of the loads of one library, oldest first. */
export async function readLoads(client: Pool | PoolClient, library: PhoneLibraryName): Promise<LoadTimes> {
  const { rows } = await client.query(`select loads from ${LOADS} where library = $1`, [library]);
  return rows[0]?.loads ?? NO_LOADS;
}

/** Adds the time of a load, in the transaction of the load. */
export async function addLoad(client: PoolClient, library: PhoneLibraryName, load: Partial<LoadTimes>): Promise<void> {
  const loads = JSON.stringify(withLoads(await readLoads(client, library), load));
  await client.query(
    `insert into ${LOADS} (library, loads) values ($1, $2) on conflict (library) do update set loads = excluded.loads`,
    [library, loads],
  );
}

/** unique_violation on the type's name, duplicate_table. */
const ALREADY_THERE: ReadonlySet<string> = new Set(['23505', '42P07']);

/** Table of one generation. The library is one of two fixed words and the generation a number: nothing of a caller is in it. */
export const tableOf = (library: PhoneLibraryName, generation: number): string => `phone_${library}_g${generation}`;

/** Columns of a record besides its key. Times are Unix seconds; null: the source does not state it. */
export const COLUMNS = {
  risk: 'smallint',
  tags: 'integer[]',
  first_seen: 'bigint',
  last_active: 'bigint',
  observed_days: 'integer',
  province: 'text',
  city_code: 'text',
  carrier: 'text',
  attribute: 'integer',
  card_type: 'integer',
} as const;

export const COLUMN_NAMES = Object.keys(COLUMNS) as readonly (keyof typeof COLUMNS)[];

const REQUIRED: ReadonlySet<string> = new Set(['tags', 'last_active']);

/** Statements that make the table of a generation with its partitions. */
export function createTable(table: string, partitions: number): string[] {
  return [
    `create table ${table} (
      key uuid not null, ${COLUMN_NAMES.map((name) => `${name} ${COLUMNS[name]}${REQUIRED.has(name) ? ' not null' : ''}`)}
    ) partition by hash (key)`,
    ...Array.from(
      { length: partitions },
      (_, part) =>
        `create table ${table}_p${part} partition of ${table} for values with (modulus ${partitions}, remainder ${part})`,
    ),
  ];
}

/**
 * Lets the records of a table made by an earlier version state no score. Alone and before the import's own work, because the change locks the table:
 * within a long import it would keep readers out.
 */
export async function allowNoScore(pool: Pool, table: string): Promise<void> {
  const { rows } = await pool.query(
    `select attnotnull from pg_attribute where attrelid = to_regclass($1) and attname = 'risk'`,
    [table],
  );
  if (rows[0]?.attnotnull === true) await pool.query(`alter table ${table} alter column risk drop not null`);
}

/** 32 hexadecimal digits of the i-th hash: a text PostgreSQL reads as uuid. */
export const uuidAt = (hashes: Buffer, index: number): string => hashes.toString('hex', index * 16, index * 16 + 16);
