import type { Kysely } from 'kysely';
import type { Database } from '../tables.ts';

/** Audit rows are counted by actor before one more is added. */
export async function up(db: Kysely<Database>): Promise<void> {
  await db.schema.createIndex('audit_log_actor').on('audit_log').columns(['actor', 'at']).execute();
}
