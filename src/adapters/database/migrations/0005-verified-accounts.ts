import { type Kysely, sql } from 'kysely';
import type { Database } from '../tables.ts';

/** Whose address is proved: by a link, or because the operator made the account. Stands with the account, where every reader of it finds it. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema.alterTable('accounts').addColumn('verified_at', 'bigint').execute();
  await sql`update accounts set verified_at = (select verified_at from verified_emails where account_id = accounts.id and verified_emails.email = accounts.email)`.execute(
    db,
  );
  await sql`update accounts set verified_at = created_at where verified_at is null and exists (select 1 from audit_log where subject = accounts.id and action = 'account.create' and actor = 'cli')`.execute(
    db,
  );
  await db.schema.dropTable('verified_emails').execute();
}
