import { existsSync } from 'node:fs';
import type { Override } from '../../core/risk/override.ts';
import type { DatabaseTarget } from '../database/open-database.ts';
import { openSqlite, sqlitePath } from '../database/open-sqlite.ts';
import { sqliteOverrides } from './sqlite-overrides.ts';

/** Returns every override in the database, including ended ones; it is empty without a database. */
export async function loadOverrides(target: DatabaseTarget): Promise<readonly Override[]> {
  if (target.databaseUrl === undefined) {
    if (!existsSync(sqlitePath(target))) return [];
    const database = openSqlite(sqlitePath(target), { readOnly: true });
    try {
      return sqliteOverrides(database);
    } finally {
      database.close();
    }
  }
  const { connectDatabase } = await import('../database/open-database.ts');
  const { SqlOverrideStore } = await import('./sql-override-store.ts');
  const db = connectDatabase(target);
  try {
    return await new SqlOverrideStore(db).all();
  } finally {
    await db.destroy();
  }
}
