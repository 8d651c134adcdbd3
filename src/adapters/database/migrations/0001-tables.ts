import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../tables.ts';

/** All tables of the first release. */
export async function up(db: Kysely<Database>): Promise<void> {
  await makeAccounts(db);
  await makeSignIn(db);
  await makeBeacons(db);
  await makeOverrides(db);
  await makeCollection(db);
  await makeIdentity(db);
}

/** Plans, accounts, keys, the change sequence and the audit log. */
async function makeAccounts(db: Kysely<Database>): Promise<void> {
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
    .addColumn('require_factor', 'integer', (column) => column.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    // When the address was proved: by a link, or because the operator made the account.
    .addColumn('verified_at', 'bigint')
    .execute();
  // The operator's page shows the newest accounts first: without an index each page reads and sorts all of them.
  await db.schema.createIndex('accounts_newest').on('accounts').columns(['created_at', 'id']).execute();
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
    // Limits of a sensor's key, which may send evidence and do nothing else.
    .addColumn('sends', 'text')
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
  // Audit rows are counted by actor before one more is added.
  await db.schema.createIndex('audit_log_actor').on('audit_log').columns(['actor', 'at']).execute();
  await db.insertInto('change_counter').values({ id: 1, seq: 0 }).execute();
  await db.insertInto('plans').values(FIRST_PLANS).execute();
}

/** Sessions, mail links, the rows of the authorization server, and second factors. */
async function makeSignIn(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) => column.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('amr', 'text', (column) => column.notNull())
    .addColumn('authenticated_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('sessions_account').on('sessions').column('account_id').execute();
  await db.schema.createIndex('sessions_expiry').on('sessions').column('expires_at').execute();
  await db.schema
    .createTable('mail_links')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('purpose', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('mail_links_email').on('mail_links').columns(['email', 'purpose']).execute();
  await db.schema
    .createTable('oauth_rows')
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('id', 'text', (column) => column.notNull())
    .addColumn('payload', 'text', (column) => column.notNull())
    .addColumn('grant_id', 'text')
    .addColumn('client_id', 'text')
    .addColumn('account_id', 'text', (column) => column.references('accounts.id').onDelete('cascade'))
    .addColumn('uid', 'text')
    .addColumn('consumed_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .addPrimaryKeyConstraint('oauth_rows_key', ['kind', 'id'])
    .execute();
  await db.schema.createIndex('oauth_rows_grant').on('oauth_rows').column('grant_id').execute();
  await db.schema.createIndex('oauth_rows_account').on('oauth_rows').columns(['account_id', 'client_id']).execute();
  await db.schema.createIndex('oauth_rows_client').on('oauth_rows').column('client_id').execute();
  await db.schema.createIndex('oauth_rows_uid').on('oauth_rows').column('uid').execute();
  await db.schema.createIndex('oauth_rows_expiry').on('oauth_rows').column('expires_at').execute();
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
}

/** Beacons, the exits they were seen from, and their counts a day. */
async function makeOverrides(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('overrides')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('prefix', 'text', (column) => column.notNull())
    .addColumn('deny', 'text')
    .addColumn('reason', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('until_at', 'bigint', (column) => column.notNull())
    .addColumn('removed_at', 'bigint')
    .execute();
}

async function makeBeacons(db: Kysely<Database>): Promise<void> {
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

/** Counts of own collection for the operator page, and when each sensor was last heard. */
async function makeCollection(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('collection_sources')
    .addColumn('source', 'text', (column) => column.primaryKey())
    .addColumn('accepted_at', 'bigint')
    .addColumn('captured_at', 'bigint')
    .addColumn('accepted', 'bigint', (column) => column.notNull())
    .addColumn('refused', 'bigint', (column) => column.notNull())
    .addColumn('seen_at', 'bigint')
    .addColumn('clock_offset_ms', 'bigint')
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

/** Which records database this is: a data folder remembers it, and notices another one in its place. One row, id 1. */
async function makeIdentity(db: Kysely<Database>): Promise<void> {
  await db.schema
    .createTable('store_identity')
    .addColumn('id', 'integer', (column) => column.primaryKey().check(sql`id = 1`))
    .addColumn('store_id', 'text', (column) => column.notNull())
    .execute();
  await db.insertInto('store_identity').values({ id: 1, store_id: randomUUID() }).execute();
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
