import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';

/** Plans, accounts, keys, the change sequence and the audit log. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('plans')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('per_min', 'bigint', (column) => column.notNull())
    .addColumn('per_day', 'bigint', (column) => column.notNull())
    .addColumn('overage_pct', 'integer', (column) => column.notNull())
    .addColumn('data_tier', 'text', (column) => column.notNull())
    .addColumn('phone_eligible', 'integer', (column) => column.notNull())
    .addColumn('phone_per_min', 'bigint', (column) => column.notNull())
    .addColumn('phone_per_day', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('accounts')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('email', 'text', (column) => column.notNull().unique())
    .addColumn('password_hash', 'text')
    .addColumn('plan', 'text', (column) => column.notNull().references('plans.name'))
    .addColumn('per_min', 'bigint')
    .addColumn('per_day', 'bigint')
    .addColumn('overage_pct', 'integer')
    .addColumn('phone_per_min', 'bigint')
    .addColumn('phone_per_day', 'bigint')
    .addColumn('history_days', 'integer')
    .addColumn('dpa', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('phone', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('operator', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('disabled', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('api_keys')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('per_day', 'bigint')
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('phone', 'integer', (column) => column.notNull().defaultTo(1))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('last_used_at', 'bigint')
    .execute();
  await db.schema.createIndex('api_keys_account').on('api_keys').column('account_id').execute();
  await db.schema
    .createTable('change_counter')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('changes')
    .addColumn('seq', 'bigint', (column) => column.primaryKey())
    .addColumn('topic', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('audit_log')
    .addColumn('seq', 'bigint', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('actor', 'text', (column) => column.notNull())
    .addColumn('action', 'text', (column) => column.notNull())
    .addColumn('subject', 'text', (column) => column.notNull())
    .addColumn('detail', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('audit_log_subject').on('audit_log').columns(['subject', 'seq']).execute();
  await db.insertInto('change_counter').values({ id: 1, seq: 0 }).execute();
  await db.insertInto('plans').values(FIRST_PLANS).execute();
}

const enterprise = {
  per_min: 6_000,
  per_day: 2_000_000,
  overage_pct: 10,
  data_tier: 'professional',
  phone_eligible: 1,
  phone_per_min: 10_000,
  phone_per_day: 100_000,
} as const;
const noPhone = { phone_eligible: 0, phone_per_min: 0, phone_per_day: 0 } as const;

/** The plans a deployment starts with; afterwards they are the operator's. */
const FIRST_PLANS = [
  { name: 'free', per_min: 60, per_day: 5_000, overage_pct: 0, data_tier: 'basic', ...noPhone },
  { name: 'professional', per_min: 600, per_day: 100_000, overage_pct: 10, data_tier: 'professional', ...noPhone },
  { name: 'enterprise', ...enterprise },
  { name: 'private', ...enterprise },
] as const;
