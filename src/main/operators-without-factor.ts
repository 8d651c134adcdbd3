import { existsSync } from 'node:fs';
import { Kysely } from 'kysely';
import { NodeSqliteDialect } from '../adapters/database/node-sqlite-dialect.ts';
import { connectDatabase, type DatabaseTarget } from '../adapters/database/open-database.ts';
import { openSqlite, sqlitePath } from '../adapters/database/open-sqlite.ts';
import type { Database } from '../adapters/database/tables.ts';
import { faultSentence } from '../adapters/system/system-fault.ts';
import { type Said, said } from '../core/texts/said.ts';

/**
 * Returns a sentence that names the operators without a second factor, or says why they cannot be read;
 * undefined if there are none. Changes nothing.
 */
export async function operatorsWithoutFactor(target: DatabaseTarget): Promise<Said | undefined> {
  if (target.databaseUrl === undefined && !existsSync(sqlitePath(target))) return undefined;
  try {
    const emails = await emailsOf(target);
    if (emails.length === 0) return undefined;
    return said('operators without a second factor: {names}', { names: emails.join(', ') });
  } catch (error) {
    return said('accounts cannot be read: {why}', { why: faultSentence(error) });
  }
}

async function emailsOf(target: DatabaseTarget): Promise<readonly string[]> {
  const db: Kysely<Database> =
    target.databaseUrl === undefined
      ? new Kysely({ dialect: new NodeSqliteDialect(() => openSqlite(sqlitePath(target), { readOnly: true })) })
      : connectDatabase(target);
  try {
    const guarded = db.selectFrom('second_factors').select('account_id');
    const rows = await db
      .selectFrom('accounts')
      .select('email')
      .where('operator', '=', 1)
      .where('disabled', '=', 0)
      .where('password_hash', 'is not', null)
      .where('id', 'not in', guarded)
      .orderBy('email')
      .execute();
    return rows.map(({ email }) => email);
  } finally {
    await db.destroy();
  }
}
