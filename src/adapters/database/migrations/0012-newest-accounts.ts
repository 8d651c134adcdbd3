import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';

/** The operator's page shows the newest accounts first, a page at a time: without an index each page reads and sorts all of them. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema.createIndex('accounts_newest').on('accounts').columns(['created_at', 'id']).execute();
}
