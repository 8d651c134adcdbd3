import { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { StoreUnavailable } from '../../service/store-unavailable.ts';
import { BULK_WORK, type Patience, QUESTION } from './keep-deadline.ts';
import { MIGRATIONS } from './migrations/index.ts';
import { ofAnotherRelease } from './migrations/names.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openPool } from './open-pool.ts';
import { openSqlite, sqlitePath } from './open-sqlite.ts';
import { PoolDialect } from './pool-dialect.ts';
import type { Database } from './tables.ts';

/** Where the records are: the part of Config this module needs. */
export interface DatabaseTarget {
  readonly dataDir: string;
  /** postgres://…; undefined: `pulse.db` in the data folder. */
  readonly databaseUrl: string | undefined;
}

/** Work on all records waits for a connection this long; a caller's question waits less. */
const CONNECT_MS = 5000;

/**
 * Opens the records database and brings its schema up to date. Safe to call from several threads, processes and nodes at once. For commands and the control
 * thread: a statement may take as long as it takes while the database lives.
 * @throws when the database cannot be reached or a migration fails; nothing of a failed migration stays
 */
export async function openDatabase(target: DatabaseTarget): Promise<Kysely<Database>> {
  const db = connectDatabase(target, BULK_WORK);
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw inPlainWords(error, target);
  }
  return db;
}

function inPlainWords(error: unknown, target: DatabaseTarget): unknown {
  if (target.databaseUrl !== undefined && error instanceof StoreUnavailable) return unreachable(error.cause);
  const [, unknown] =
    /^corrupted migrations: previously executed migration (\S+)/.exec(String((error as Error).message)) ?? [];
  if (unknown === undefined) return error;
  const place = target.databaseUrl === undefined ? sqlitePath(target) : 'the database of PULSE_DATABASE_URL';
  return new Error(ofAnotherRelease(place, unknown), { cause: error });
}

const unreachable = (cause: unknown): Error =>
  new Error(
    `the database of PULSE_DATABASE_URL cannot be reached (${cause instanceof Error && 'code' in cause ? String(cause.code) : 'no answer'})`,
    {
      cause,
    },
  );

/**
 * Opens without touching the schema: for threads that start after `openDatabase` has run in this process. Close with `destroy()`.
 * @param patience how long PostgreSQL may take; over SQLite the file is asked, and answers
 */
export function connectDatabase(target: DatabaseTarget, patience: Patience = QUESTION): Kysely<Database> {
  if (target.databaseUrl === undefined)
    return new Kysely({ dialect: new NodeSqliteDialect(openSqlite(sqlitePath(target))) });
  const options = patience === QUESTION ? {} : { patience, connectMs: CONNECT_MS };
  return new Kysely({ dialect: new PoolDialect(openPool(target.databaseUrl, options)) });
}

/** Applies the missing ones of `migrations`, all in one transaction. */
export async function migrate(
  db: Kysely<Database>,
  migrations: Readonly<Record<string, Migration>> = MIGRATIONS,
): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
