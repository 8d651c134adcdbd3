import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';

/** Counts of own collection, for the operator page. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('collection_sources')
    .addColumn('source', 'text', (column) => column.primaryKey())
    .addColumn('accepted_at', 'bigint', (column) => column.notNull())
    .addColumn('captured_at', 'bigint', (column) => column.notNull())
    .addColumn('accepted', 'bigint', (column) => column.notNull())
    .addColumn('refused', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('collection_hours')
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('hour', 'integer', (column) => column.notNull())
    .addColumn('captures', 'bigint', (column) => column.notNull())
    .addColumn('connections', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('collection_hours_key', ['hour', 'source'])
    .execute();
  await db.schema
    .createTable('collection_ports')
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('protocol', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .addColumn('connections', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('collection_ports_key', ['day', 'protocol', 'port'])
    .execute();
  await db.schema
    .createTable('collection_newest')
    .addColumn('id', 'bigint', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('ip', 'text', (column) => column.notNull())
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('risk_type', 'text', (column) => column.notNull())
    .addColumn('protocol', 'text', (column) => column.notNull())
    .addColumn('port', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('collection_counter')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('newest', 'bigint', (column) => column.notNull())
    .execute();
  await db.insertInto('collection_counter').values({ id: 1, newest: 0 }).execute();
}
