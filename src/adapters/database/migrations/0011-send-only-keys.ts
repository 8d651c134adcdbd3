import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';

/** Keys of sensors, which may send evidence within limits and do nothing else. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema.alterTable('api_keys').addColumn('sends', 'text').execute();
}
