import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';

/** Beacons, the exits they were seen from, and their counts a day. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('beacons')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('risk_type', 'text', (column) => column.notNull())
    .addColumn('pool', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('last_seen_at', 'bigint')
    .addColumn('exits', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .createTable('beacon_exits')
    .addColumn('beacon_id', 'text', (column) => column.notNull().references('beacons.id').onDelete('cascade'))
    .addColumn('ip', 'text', (column) => column.notNull())
    .addColumn('last_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('beacon_exits_key', ['beacon_id', 'ip'])
    .execute();
  await db.schema.createIndex('beacon_exits_age').on('beacon_exits').column('last_at').execute();
  await db.schema
    .createTable('beacon_days')
    .addColumn('beacon_id', 'text', (column) => column.notNull().references('beacons.id').onDelete('cascade'))
    .addColumn('day', 'integer', (column) => column.notNull())
    .addColumn('captures', 'bigint', (column) => column.notNull())
    .addColumn('exits', 'bigint', (column) => column.notNull())
    .addColumn('new_exits', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('beacon_days_key', ['beacon_id', 'day'])
    .execute();
}
