import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/**
 * One SQLite connection with the settings every connection of ours has: readers next to one writer (WAL), waiting up to five seconds for the write lock,
 * foreign keys enforced, and commits that survive a power cut: a revoked key, a changed password or an ended session must never come back.
 */
export function openSqlite(path: string, options: { readonly readOnly?: boolean } = {}): DatabaseSync {
  const readOnly = options.readOnly ?? false;
  if (!readOnly) mkdirSync(dirname(path), { recursive: true });
  const database = new DatabaseSync(path, { timeout: 5000, enableForeignKeyConstraints: true, readOnly });
  if (!readOnly) database.exec('pragma journal_mode = wal; pragma synchronous = full');
  return database;
}

/** `pulse.db` of a data folder. */
export const sqlitePath = (target: { readonly dataDir: string }): string => join(target.dataDir, 'pulse.db');
