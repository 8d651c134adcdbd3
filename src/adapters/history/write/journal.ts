import { type ChangeLog, JOURNAL_MS } from '../read/change-log.ts';
import { type OpenBatch, type Steps, type Transaction, wait } from '../sql.ts';
import { bytesOfLimit, type Journal, type JournalLimits } from './journal-rows.ts';

/** Writes the changes of a batch and deletes journal entries that followers no longer need. */
export function* writeJournal(tx: Transaction, { sequence, acceptedAt }: OpenBatch, changes: ChangeLog): Steps<void> {
  yield* wait(tx.query('delete from evidence_journal where accepted_at < $1', [acceptedAt - JOURNAL_MS]));
  yield* wait(
    tx.query('insert into evidence_journal (sequence, accepted_at, log) values ($1, $2, $3)', [
      sequence,
      acceptedAt,
      changes.pack(),
    ]),
  );
}

/**
 * Returns the logs of later batches. Undefined when the journal does not reach back, or certainly holds more
 * than the limits allow.
 */
export function* journalAfter(tx: Transaction, sequence: number, limits: JournalLimits): Steps<Journal | undefined> {
  if (sequence > tx.catalogue.head.sequence) return undefined;
  const [row] = yield* wait(
    tx.query<[missing: number, bytes: number | null]>(
      `select count(case when j.log is null then 1 end), cast(sum(length(j.log)) as float)
       from evidence_batches b left join evidence_journal j using (sequence) where b.sequence > $1`,
      [sequence],
    ),
  );
  const [missing, bytes] = row!;
  if (missing > 0 || (bytes ?? 0) > bytesOfLimit(limits)) return undefined;
  return yield* wait(
    tx.query<[number, Uint8Array]>(
      'select b.source, j.log from evidence_journal j join evidence_batches b using (sequence) where sequence > $1 order by sequence',
      [sequence],
    ),
  );
}
