import { type Kysely, sql, type Transaction } from 'kysely';
import type { Database } from './tables.ts';

/** One thing that happened, for caches elsewhere and for the audit log. */
export interface Change {
  readonly at: number;
  /** Who did it: `cli`, `operator:<account id>`, `user:<account id>`, `system`. */
  readonly actor: string;
  /** What was done: `account.create`, `key.revoke`, … */
  readonly action: string;
  /** Kind of record whose cached copies are out of date now: `account`, `plan`, `grant`, … */
  readonly topic: string;
  /** Its id. */
  readonly subject: string;
  /** What changed. Never a secret, a hash of one, or a phone number. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Writes the change and its audit row inside the transaction that makes it. Returns its number. */
export async function recordChange(trx: Transaction<Database>, change: Change): Promise<number> {
  const { seq } = await trx.updateTable('change_counter').set({ seq: sql<number>`seq + 1` }).where('id', '=', 1).returning('seq').executeTakeFirstOrThrow();
  await trx.insertInto('changes').values({ seq, topic: change.topic, subject: change.subject, at: change.at }).execute();
  await trx
    .insertInto('audit_log')
    .values({ seq, at: change.at, actor: change.actor, action: change.action, subject: change.subject, detail: JSON.stringify(change.detail ?? {}) })
    .execute();
  return seq;
}

/** Drops change rows older than `before`; a follower that is further behind starts afresh. The audit log stays. */
export async function pruneChanges(db: Kysely<Database>, before: number): Promise<void> {
  await db.deleteFrom('changes').where('at', '<', before).execute();
}
