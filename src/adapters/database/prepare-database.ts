import type { DatabaseSync } from 'node:sqlite';
import { MIGRATION_NAMES } from './migrations/names.ts';
import type { DatabaseTarget } from './open-database.ts';
import { openSqlite, sqlitePath } from './open-sqlite.ts';

/**
 * Brings the schema up to date and keeps one writing connection open. While it is open, readers find the
 * database and its log.
 */
export async function prepareDatabase(target: DatabaseTarget): Promise<{ close(): Promise<void> }> {
  if (target.databaseUrl === undefined) {
    const database = openSqlite(sqlitePath(target));
    if (isCurrent(database)) return { close: async () => database.close() };
    database.close();
  }
  const { openDatabase } = await import('./open-database.ts');
  const db = await openDatabase(target);
  return { close: () => db.destroy() };
}

/**
 * Whether exactly this release's migrations are applied. If not, `openDatabase` applies them or reports
 * another release.
 */
function isCurrent(database: DatabaseSync): boolean {
  if (database.prepare("select 1 from sqlite_master where name = 'kysely_migration'").get() === undefined) return false;
  const applied = database.prepare('select name from kysely_migration order by name').all();
  return applied.map(({ name }) => name).join() === MIGRATION_NAMES.join();
}
