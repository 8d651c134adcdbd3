import { type Kysely, sql, type Transaction } from 'kysely';
import { type AuditCap, auditCap, COUNTED_ACTIONS, ENDINGS } from '../../core/limits/audit-cap.ts';
import { DAY_MS } from '../../core/units.ts';
import { tooMany } from '../../service/limiter.ts';
import type { Database } from './tables.ts';

/**
 * - `actor`: one of `cli`, `operator:<account id>`, `user:<account id>`, `system`.
 * - `topic`: cached copies of this kind of record are now outdated, such as `account`, `plan` or `grant`.
 * - `detail`: must not contain a secret, a hash of one, or a phone number.
 */
export interface Change {
  readonly at: number;
  readonly actor: string;
  readonly action: string;
  readonly topic: string;
  readonly subject: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/**
 * Makes other writers of changes wait until this transaction ends, so that its counts stay true. It writes
 * nothing.
 */
export const lockChanges = (trx: Transaction<Database>): Promise<unknown> =>
  trx.updateTable('change_counter').set({ seq: sql<number>`seq` }).where('id', '=', 1).execute();

/** Writes the change and its audit row in this transaction. @throws Problem rate_limited past `auditCap` */
export async function recordChange(trx: Transaction<Database>, change: Change): Promise<number> {
  const seq = await nextNumber(trx, change);
  const cap = auditCap(change.actor, change.action);
  if (cap !== undefined) await checkCap(trx, change, cap);
  await trx
    .insertInto('audit_log')
    .values({
      seq,
      at: change.at,
      actor: change.actor,
      action: change.action,
      subject: change.subject,
      detail: JSON.stringify(change.detail ?? {}),
    })
    .execute();
  return seq;
}

/** Writers of changes wait for one another. */
export async function nextNumber(
  trx: Transaction<Database>,
  { topic, subject, at }: Pick<Change, 'topic' | 'subject' | 'at'>,
): Promise<number> {
  const { seq } = await trx
    .updateTable('change_counter')
    .set({ seq: sql<number>`seq + 1` })
    .where('id', '=', 1)
    .returning('seq')
    .executeTakeFirstOrThrow();
  await trx.insertInto('changes').values({ seq, topic, subject, at }).execute();
  return seq;
}

/**
 * Rows with later times were written before the clock was set back. They are not counted, since they would
 * block changes until the clock catches up.
 */
async function checkCap(trx: Transaction<Database>, { actor, at }: Change, { most, counts }: AuditCap): Promise<void> {
  let counted = trx
    .selectFrom('audit_log')
    .select('at')
    .where('actor', '=', actor)
    .where('at', '>', at - DAY_MS)
    .where('at', '<=', at);
  counted =
    counts === 'endings'
      ? counted.where('action', 'in', ENDINGS)
      : counted.where('action', 'not in', counts === 'others' ? [...ENDINGS, ...COUNTED_ACTIONS] : COUNTED_ACTIONS);
  const oldest = await counted
    .orderBy('at', 'desc')
    .offset(most - 1)
    .limit(1)
    .executeTakeFirst();
  if (oldest !== undefined) throw tooMany((oldest.at + DAY_MS - at) / 1000);
}

/**
 * Deletes change rows older than `before`; a follower that is further behind reloads everything. The audit
 * log stays.
 */
export async function pruneChanges(db: Kysely<Database>, before: number): Promise<void> {
  await db.deleteFrom('changes').where('at', '<', before).execute();
}
