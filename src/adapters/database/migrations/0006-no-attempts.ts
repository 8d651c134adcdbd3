import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';

/** Attempts are counted in memory (`adapters/limits`). The table held client addresses and grew by a row for every refused attempt. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema.dropTable('attempts').execute();
}
