import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';
import { up as tables } from './0001-tables.ts';
import type { MIGRATION_NAMES } from './names.ts';

export interface Migration {
  up(db: Kysely<Database>): Promise<void>;
}

/**
 * All migrations in order. To add one: write a file with the next number that exports `up(db)`, add its name
 * to names.ts, and add a line here. Never edit a released migration: it has run somewhere.
 */
export const MIGRATIONS: Readonly<Record<(typeof MIGRATION_NAMES)[number], Migration>> = {
  '0001-tables': { up: tables },
};
