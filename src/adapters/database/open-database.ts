import { Kysely, PostgresAdapter, sql } from 'kysely';
import { Fault } from '../../core/texts/fault.ts';
import { said } from '../../core/texts/said.ts';
import { StoreUnavailable } from '../../service/store-unavailable.ts';
import { BULK_DEADLINE, type DatabaseDeadline, QUERY_DEADLINE } from './keep-deadline.ts';
import { MIGRATIONS, type Migration } from './migrations/index.ts';
import { otherReleaseFault } from './migrations/names.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openPool } from './open-pool.ts';
import { openSqlite, sqlitePath } from './open-sqlite.ts';
import { PoolDialect } from './pool-dialect.ts';
import type { Database } from './tables.ts';

export interface DatabaseTarget {
  readonly dataDir: string;
  readonly databaseUrl: string | undefined;
}

const CONNECT_MS = 5000;

/**
 * Opens the records database and brings its schema up to date. Threads, processes and nodes may call it at
 * the same time. It is for commands and the control thread: a statement may take any time while the database
 * is alive.
 * @throws when the database cannot be reached or a migration fails, which leaves no trace
 */
export async function openDatabase(target: DatabaseTarget): Promise<Kysely<Database>> {
  const db = connectDatabase(target, BULK_DEADLINE);
  try {
    await migrate(db, MIGRATIONS, target);
  } catch (error) {
    await db.destroy();
    throw target.databaseUrl !== undefined && error instanceof StoreUnavailable ? unreachable(error.cause) : error;
  }
  return db;
}

const unreachable = (cause: unknown): Error =>
  new Fault(
    said('the database of PULSE_DATABASE_URL cannot be reached ({answer})', {
      answer: cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer',
    }),
    { cause },
  );

/** Opens the database without touching the schema, for threads that start after `openDatabase` has run. */
export function connectDatabase(target: DatabaseTarget, deadline: DatabaseDeadline = QUERY_DEADLINE): Kysely<Database> {
  if (target.databaseUrl === undefined)
    return new Kysely({ dialect: new NodeSqliteDialect(openSqlite(sqlitePath(target))) });
  const options = deadline === QUERY_DEADLINE ? {} : { patience: deadline, connectMs: CONNECT_MS };
  return new Kysely({ dialect: new PoolDialect(openPool(target.databaseUrl, options)) });
}

/**
 * Empties SQLite's write-ahead log, which otherwise holds deleted text until it is written over. A reader of an
 * older state puts it off.
 */
export async function emptyWriteLog(db: Kysely<Database>): Promise<void> {
  if (db.getExecutor().adapter instanceof PostgresAdapter) return;
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}

/**
 * PostgreSQL's advisory lock for migrations has this key. In SQLite a transaction holds the lock of all
 * writers from its beginning.
 */
const MIGRATING = 0x70756c73;

/** Applies missing migrations in one transaction. @param target names the database in an error */
export async function migrate(
  db: Kysely<Database>,
  migrations: Readonly<Record<string, Migration>> = MIGRATIONS,
  target?: DatabaseTarget,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (trx.getExecutor().adapter instanceof PostgresAdapter)
      await sql`select pg_advisory_xact_lock(${MIGRATING})`.execute(trx);
    await sql`create table if not exists kysely_migration (name text primary key, timestamp text not null)`.execute(
      trx,
    );
    const { rows } = await sql<{ readonly name: string }>`select name from kysely_migration`.execute(trx);
    const applied = rows.map(({ name }) => name);
    const unknown = applied.find((name) => !Object.hasOwn(migrations, name));
    if (unknown !== undefined) throw otherReleaseFault(placeOf(target), unknown);
    for (const [name, { up }] of Object.entries(migrations)) {
      if (applied.includes(name)) continue;
      await up(trx);
      const at = new Date().toISOString();
      await sql`insert into kysely_migration (name, timestamp) values (${name}, ${at})`.execute(trx);
    }
  });
}

const placeOf = (target: DatabaseTarget | undefined): string =>
  target === undefined || target.databaseUrl !== undefined ? 'the database of PULSE_DATABASE_URL' : sqlitePath(target);
