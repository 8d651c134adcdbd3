import { type UnixMs, unixMs } from '../../../core/units.ts';
import { compareKeys, keyOfRow, type PrefixKey } from '../prefix-key.ts';
import type { Series, SourceEntry } from '../read/catalogue.ts';
import type { ChangeLog } from '../read/change-log.ts';
import type { BatchJudgement } from '../receive/judge-batch.ts';
import type { ReceivedBatch, WrittenBatch } from '../receive/receive-captures.ts';
import { type Sql, type SqlRow, type Steps, type Transaction, wait } from '../sql.ts';
import { recordPresence } from './record-presence.ts';

const PAGE_ROWS = 20_000;

export function* writeBatch(
  tx: Transaction,
  entry: SourceEntry,
  { batch, source, runAt }: ReceivedBatch,
  { rows, times, codes }: BatchJudgement,
  tracks: ReadonlyMap<number, Series>,
  changes: ChangeLog,
): Steps<WrittenBatch> {
  const events = new EventWriter(tx, changes);
  const entries = new Map<Series, PrefixKey[]>();
  const eventTrack = new Map<Series, Series>();
  for (const row of rows) {
    const key = keyOfRow(batch, row);
    const track = tracks.get(codes[row]!)!;
    if (!Number.isNaN(times[row]!)) {
      yield* events.add(key, track, times[row]!);
      continue;
    }
    if (track.presence) eventTrack.set(track, tracks.get(codes[row]! - 1)!);
    hold(entries, track, key);
  }
  if (runAt === undefined) {
    yield* events.flush();
    return { rows: rows.length, added: events.added, ended: 0, newest: events.newest };
  }
  const appearance = source.mode === 'appearance';
  const held = tx.catalogue.seriesOf(entry, appearance);
  const log = appearance ? undefined : changes;
  const presence = yield* recordPresence(tx, entry.runs, held, entries, runAt, log);
  for (const { track, prefix } of presence.appeared) yield* events.add(prefix, eventTrack.get(track)!, runAt);
  yield* events.flush();
  return {
    rows: rows.length,
    added: appearance ? events.added : presence.added,
    ended: presence.ended,
    newest: unixMs(Math.max(runAt, events.newest ?? runAt)),
  };
}

class EventWriter {
  readonly #tx: Transaction;
  readonly #changes: ChangeLog;
  #rows: SqlRow[] = [];
  added = 0;
  newest: UnixMs | undefined;

  constructor(tx: Transaction, changes: ChangeLog) {
    this.#tx = tx;
    this.#changes = changes;
  }

  *add(key: PrefixKey, track: Series, at: number): Steps<void> {
    this.#rows.push([this.#tx.keyIn(key), track.id, at]);
    if (this.#rows.length === PAGE_ROWS) yield* this.flush();
  }

  *flush(): Steps<void> {
    const rows = this.#rows;
    this.#rows = [];
    for (const [prefix, track, at] of (yield* wait(this.#tx.insertEvents(rows))) as readonly [
      SqlRow[0],
      number,
      number,
    ][]) {
      this.added++;
      this.#changes.captured(this.#tx.keyOf(prefix), track, at);
      if (this.newest === undefined || at > this.newest) this.newest = unixMs(at);
    }
  }
}

function hold(entries: Map<Series, PrefixKey[]>, track: Series, key: PrefixKey): void {
  const held = entries.get(track);
  if (held === undefined) entries.set(track, [key]);
  else if (compareKeys(held[held.length - 1]!, key) !== 0) held.push(key);
}

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
