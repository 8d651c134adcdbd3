import { type Kysely, sql, type Transaction } from 'kysely';
import { type AuditCap, auditCap, COUNTED_ACTIONS, ENDINGS } from '../../core/limits/audit-cap.ts';
import { DAY_MS } from '../../core/units.ts';
import { tooMany } from '../../service/limiter.ts';
import type { Database } from './tables.ts';

/** One thing that happened, for caches elsewhere and for the audit log. */
export interface Change {
  readonly at: number;
  /** Who did it: `cli`, `operator:<account id>`, `user:<account id>`, `system`. */
  readonly actor: string;
  /** The action: `account.create`, `key.revoke`, … */
  readonly action: string;
  /** Kind of record whose cached copies are out of date now: `account`, `plan`, `grant`, … */
  readonly topic: string;
  /** Its id. */
  readonly subject: string;
  /** The change. Never a secret, a hash of one, or a phone number. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Makes other writers of changes wait until this transaction ends, so that what it counts stays true. A refusal leaves only a lock behind. */
export const holdChanges = (trx: Transaction<Database>): Promise<unknown> =>
  trx.updateTable('change_counter').set({ seq: sql<number>`seq` }).where('id', '=', 1).execute();

/** Writes the change and its audit row in its transaction. @throws Problem rate_limited past `auditCap` */
export async function recordChange(trx: Transaction<Database>, change: Change): Promise<number> {
  const seq = await nextNumber(trx, change);
  const cap = auditCap(change.actor, change.action);
  // After the number, which makes writers wait for one another: the count is exact.
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

/** Takes the next number, which makes writers wait for one another, and writes the change under it. */
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

/** Rows dated ahead, by a clock that was put back since, do not count: they would refuse changes until the clock had caught up. */
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

/** Drops change rows older than `before`; a follower that is further behind starts afresh. The audit log stays. */
export async function pruneChanges(db: Kysely<Database>, before: number): Promise<void> {
  await db.deleteFrom('changes').where('at', '<', before).execute();
}
