import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';

/** Keys of sensors, which may send evidence and do nothing else. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema
    .alterTable('api_keys')
    .addColumn('send_only', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
