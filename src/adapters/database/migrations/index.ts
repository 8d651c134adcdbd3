import type { DatabaseSync } from 'node:sqlite';
import { migrateSqlite, type Schema } from '../migrate.ts';
import { openSqlite } from '../open-sqlite.ts';
import { tables } from './0001-tables.ts';

const HEX = 'lower(hex(randomblob(16)))';

/** To add a migration: a file with the next number that exports its statements, and a line here. */
const migrations = (random: string) => ({ '0001-tables': tables(random) });

export const RECORDS = {
  sqlite: { table: 'kysely_migration', migrations: migrations(HEX), inSqlite: migrations(HEX) },
  postgres: { table: 'kysely_migration', migrations: migrations('gen_random_uuid()::text'), inSqlite: migrations(HEX) },
} as const satisfies Readonly<Record<string, Schema>>;

export const RECORDS_PLACE = 'the database of PULSE_DATABASE_URL';

export function openRecordsFile(path: string): DatabaseSync {
  const database = openSqlite(path);
  try {
    migrateSqlite(database, RECORDS.sqlite, path);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
