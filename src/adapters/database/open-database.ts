import { Kysely, PostgresDialect } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { MIGRATIONS } from './migrations/index.ts';
import { NodeSqliteDialect } from './node-sqlite-dialect.ts';
import { openPool } from './open-pool.ts';
import { openSqlite, sqlitePath } from './open-sqlite.ts';
import type { Database } from './tables.ts';

/** Where the records are: the part of Config this module needs. */
export interface DatabaseTarget {
  readonly dataDir: string;
  /** postgres://…; undefined: `pulse.db` in the data folder. */
  readonly databaseUrl: string | undefined;
}

/**
 * Opens the records database and brings its schema up to date. Safe to call from several threads, processes and nodes at once.
 * @throws when the database cannot be reached or a migration fails; nothing of a failed migration stays
 */
export async function openDatabase(target: DatabaseTarget): Promise<Kysely<Database>> {
  const db = connectDatabase(target);
  try {
    await migrate(db);
  } catch (error) {
    await db.destroy();
    throw isUnreachable(error) ? new Error(`the database of PULSE_DATABASE_URL cannot be reached (${error.code})`, { cause: error }) : error;
  }
  return db;
}

/** Faults of the way to the database, not of what was asked: of the network, or of SQLSTATE class 08, 28 (wrong password), 3D (no such database), 57P (shutting down). */
function isUnreachable(error: unknown): error is Error & { readonly code: string } {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET)/.test(code) || /^(08|28|3D|57P)/.test(code);
}

/** Opens without touching the schema: for threads that start after `openDatabase` has run in this process. Close with `destroy()`. */
export function connectDatabase(target: DatabaseTarget): Kysely<Database> {
  if (target.databaseUrl === undefined) return new Kysely({ dialect: new NodeSqliteDialect(openSqlite(sqlitePath(target))) });
  return new Kysely({ dialect: new PostgresDialect({ pool: openPool(target.databaseUrl) }) });
}

/** Applies what is missing of `migrations`, all in one transaction. */
export async function migrate(db: Kysely<Database>, migrations: Readonly<Record<string, Migration>> = MIGRATIONS): Promise<void> {
  // Branches may add migrations side by side; the order of names decides, not the order of their arrival.
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) }, allowUnorderedMigrations: true });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}
