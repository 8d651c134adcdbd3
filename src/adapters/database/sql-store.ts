import type { Kysely, RawBuilder, Transaction } from 'kysely';
import { HOUR_MS } from '../../core/units.ts';
import type { CountedEvent } from '../../service/accounts/account-store.ts';
import { nextNumber } from './record-change.ts';
import type { Database } from './tables.ts';

export type Handle = Kysely<Database> | Transaction<Database>;

export const rowsOf = async <Row>(db: Handle, statement: RawBuilder<Row>): Promise<readonly Row[]> =>
  (await statement.execute(db)).rows;

export const firstOf = async <Row>(db: Handle, statement: RawBuilder<Row>): Promise<Row | undefined> =>
  (await statement.execute(db)).rows[0];

export const changedBy = async (db: Handle, statement: RawBuilder<unknown>): Promise<number> =>
  Number((await statement.execute(db)).numAffectedRows ?? 0);

export abstract class SqlStore {
  protected readonly db: Kysely<Database>;

  constructor(db: Kysely<Database>) {
    this.db = db;
  }

  protected transaction<Result>(work: (trx: Transaction<Database>) => Promise<Result>): Promise<Result> {
    return this.db.transaction().execute(work);
  }
}

/** SQLite has no boolean type; 0 and 1 mean the same in both engines. */
export type Flag = 0 | 1;

/**
 * Adds an event to the row of its hour, or starts that row. The row gets the next number, so followers of the
 * log read it again.
 */
export async function countEvent(trx: Transaction<Database>, event: CountedEvent): Promise<void> {
  const { action, actor, subject, counts, at } = event;
  const seq = await nextNumber(trx, { topic: 'note', subject, at });
  const detail = (await isForgotten(trx, subject)) ? {} : event.detail;
  const hour = Math.floor(at / HOUR_MS) * HOUR_MS;
  const rows = await trx
    .selectFrom('audit_log')
    .select(['seq', 'detail'])
    .where('subject', '=', subject)
    .where('action', '=', action)
    .where('actor', '=', actor)
    .where('at', '>=', hour)
    .where('at', '<', hour + HOUR_MS)
    .execute();
  const known = rows
    .map((row) => ({ seq: row.seq, detail: JSON.parse(row.detail) as Record<string, unknown> }))
    .find((row) => isSame(row.detail, detail));
  if (known === undefined) {
    const row = { seq, at, actor, action, subject, detail: JSON.stringify({ ...detail, ...counts, since: at }) };
    await trx.insertInto('audit_log').values(row).execute();
    return;
  }
  const sums = Object.entries(counts).map(([name, more]) => [name, Number(known.detail[name] ?? 0) + more]);
  const summed = JSON.stringify({ ...known.detail, ...Object.fromEntries(sums) });
  await trx.updateTable('audit_log').set({ seq, at, detail: summed }).where('seq', '=', known.seq).execute();
}

/** Rows about a deleted account keep no detail, even for events before the deletion. */
async function isForgotten(trx: Transaction<Database>, subject: string): Promise<boolean> {
  if (!subject.startsWith('acc_')) return false;
  return (await trx.selectFrom('accounts').select('id').where('id', '=', subject).executeTakeFirst()) === undefined;
}

/** Returns whether two details belong to the same row. Numbers are counts; other values distinguish rows. */
function isSame(kept: Readonly<Record<string, unknown>>, detail: CountedEvent['detail']): boolean {
  const marks = Object.entries(kept).filter(([, value]) => typeof value !== 'number');
  return marks.length === Object.keys(detail).length && marks.every(([name, value]) => detail[name] === value);
}
