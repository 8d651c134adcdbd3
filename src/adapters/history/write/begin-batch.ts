import type { UnixMs } from '../../../core/units.ts';
import type { WrittenBatch } from '../receive/receive-captures.ts';
import { type Sql, type Steps, type Transaction, wait } from '../sql.ts';

interface BatchNote {
  readonly kind: 'run' | 'captures' | 'retraction';
  readonly at: UnixMs;
  readonly acceptedAt: UnixMs;
  readonly rows: number;
}

/**
 * Assigns the number of a new batch; undefined if the same batch was stored before. Numbers are assigned
 * under the writers' lock, so they are gapless and become visible in order.
 */
export function* beginBatch(
  tx: Transaction,
  source: number,
  { kind, at, acceptedAt, rows }: BatchNote,
  hash: Uint8Array,
): Steps<number | undefined> {
  const { catalogue } = tx;
  const sequence = catalogue.head.sequence + 1;
  const begun = yield* wait(
    tx.query(
      `insert into evidence_batches (sequence, source, kind, at, hash, accepted_at, rows) values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (source, kind, at, hash) do nothing returning sequence`,
      [sequence, source, kind, at, hash, acceptedAt, rows],
    ),
  );
  if (begun.length === 0) return undefined;
  catalogue.head = { ...catalogue.head, sequence };
  return sequence;
}

export function* noteTimes(sql: Sql, source: number, { rows, newest }: WrittenBatch): Steps<void> {
  if (newest === undefined) return;
  yield* wait(
    sql.query(
      'update evidence_sources set last_run_at = case when last_run_at > $1 then last_run_at else $1 end, rows = $2 where id = $3',
      [newest, rows, source],
    ),
  );
}

/** An earlier note stays. */
export function* noteFollowed(sql: Sql, since: UnixMs): Steps<void> {
  yield* wait(
    sql.query(
      `insert into evidence_facts (name, value) values ('followed', $1)
       on conflict (name) do update set value = excluded.value where excluded.value < evidence_facts.value`,
      [since],
    ),
  );
}
