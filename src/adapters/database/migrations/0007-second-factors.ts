import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';

/** Second factors, how a session was authenticated, and accounts that must have a factor. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('second_factors')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('secret', 'text', (column) => column.notNull())
    .addColumn('credential_id', 'text', (column) => column.unique())
    .addColumn('transports', 'text', (column) => column.notNull())
    .addColumn('counter', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema.createIndex('second_factors_account').on('second_factors').column('account_id').execute();
  await db.schema
    .createTable('recovery_codes')
    .addColumn('hash', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .execute();
  await db.schema.createIndex('recovery_codes_account').on('recovery_codes').column('account_id').execute();
  await db.schema
    .createTable('factor_steps')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('session_id', 'text')
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('factor_steps_account').on('factor_steps').column('account_id').execute();
  await db.schema.createIndex('factor_steps_expiry').on('factor_steps').column('expires_at').execute();
  await db.schema
    .alterTable('sessions')
    .addColumn('amr', 'text', (column) => column.notNull().defaultTo('pwd'))
    .execute();
  // Sessions from before: never fresh.
  await db.schema
    .alterTable('sessions')
    .addColumn('authenticated_at', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('accounts')
    .addColumn('require_factor', 'integer', (column) => column.notNull().defaultTo(0))
    .execute();
}
