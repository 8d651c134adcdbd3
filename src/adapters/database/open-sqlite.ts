import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { Recent } from '../../core/kit/recent.ts';

/**
 * Opens a SQLite connection with our settings: WAL, so that readers do not wait for the writer; up to five
 * seconds' wait for the write lock; foreign keys. Commits survive a power cut, because a revoked key, a
 * changed password or an ended session must never return. Deleted rows are overwritten, so that the files and
 * their copies hold no address of a deleted account.
 */
export function openSqlite(path: string, options: { readonly readOnly?: boolean } = {}): DatabaseSync {
  const readOnly = options.readOnly ?? false;
  if (!readOnly) mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true, readOnly });
  if (!readOnly) database.exec('pragma journal_mode = wal; pragma synchronous = full; pragma secure_delete = on');
  return database;
}

export const sqlitePath = (target: { readonly dataDir: string }): string => join(target.dataDir, 'pulse.db');

interface KeptStatement {
  readonly statement: StatementSync;
  readonly reader: boolean;
}

/** Ours are a few dozen; queries with lists of values add variants. */
const MAX_STATEMENTS = 256;

/**
 * Prepares each text once. The garbage collector does not see SQLite's memory, so one statement per query
 * would pile up.
 */
export function keptStatements(database: DatabaseSync): (sql: string) => KeptStatement {
  const kept = new Recent<string, KeptStatement>(MAX_STATEMENTS);
  return (sql) => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    const made = { statement, reader: statement.columns().length > 0 };
    kept.set(sql, made);
    return made;
  };
}
