import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';
import { up as tables } from './0001-tables.ts';
import type { MIGRATION_NAMES } from './names.ts';

export interface Migration {
  up(db: Kysely<Database>): Promise<void>;
}

/**
 * Every migration in order, forward only. To add one: a new file with the next number that exports `up(db)`, its name in names.ts, and one line
 * at the end of this table.
 * A migration that has been released is never edited: it has run somewhere.
 */
export const MIGRATIONS: Readonly<Record<(typeof MIGRATION_NAMES)[number], Migration>> = {
  '0001-tables': { up: tables },
};
