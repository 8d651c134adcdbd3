import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../tables.ts';

/** Which records database this is: a data folder remembers it, and notices another one in its place. One row, id 1. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('store_identity')
    .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('store_id', 'text', (column) => column.notNull())
    .execute();
  await db.insertInto('store_identity').values({ id: 1, store_id: randomUUID() }).execute();
}
