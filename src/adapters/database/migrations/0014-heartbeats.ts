import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';

/** When each sensor was last heard, and how far its clock was off. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('collection_heartbeats')
    .addColumn('source', 'text', (column) => column.primaryKey())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .addColumn('clock_offset_ms', 'bigint', (column) => column.notNull())
    .execute();
}
