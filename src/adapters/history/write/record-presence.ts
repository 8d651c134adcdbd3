import type { RunTimes } from '../../../core/evidence/run-times.ts';
import type { UnixMs } from '../../../core/units.ts';
import { compareKeys, keyText, type PrefixKey } from '../prefix-key.ts';
import type { Series } from '../read/catalogue.ts';
import type { ChangeLog } from '../read/change-log.ts';
import { type SqlRow, type Steps, type Transaction, wait } from '../sql.ts';

export type RunEntries = ReadonlyMap<Series, readonly PrefixKey[]>;

export interface SeriesEntry {
  readonly track: Series;
  readonly prefix: PrefixKey;
}

class PresenceChanges {
  added = 0;
  ended = 0;
  /** Entries that the previous run did not hold; filled only without a log. */
  readonly appeared: SeriesEntry[] = [];
}

const PAGE_ROWS = 20_000;
const SPELLS = 'evidence_spells (prefix, track, first_at, last_at)';
const PUT_LAST = 'on conflict (prefix, track, first_at) do update set last_at = excluded.last_at';

/**
 * Applies one run at `at` to the presence intervals. Intervals are maximal: a run without the entry lies
 * between two intervals of one entry. `runs` must not contain this run yet, unless it is a second reading at
 * the same time, which only adds entries.
 * @param tracks every series of the source, including those without entries in this run
 * @param log receives every entry whose live rows change: begun, ended, split, or touched by a late run
 */
export function* recordPresence(
  tx: Transaction,
  runs: RunTimes,
  tracks: readonly Series[],
  entries: RunEntries,
  at: UnixMs,
  log: ChangeLog | undefined,
): Steps<PresenceChanges> {
  const [changes, previous, next] = [new PresenceChanges(), runs.before(at), runs.after(at)];
  const isKnown = runs.has(at);
  for (const track of tracks) {
    const keys = entries.get(track) ?? [];
    if (!isKnown && next === undefined) yield* recordNewest(tx, track, keys, { at, previous }, log, changes);
    else {
      if (!isKnown && previous !== undefined && next !== undefined)
        yield* split(tx, track, keys, { at, previous, next }, log, changes);
      for (let first = 0; first < keys.length; first += PAGE_ROWS)
        yield* cover(tx, track, keys.slice(first, first + PAGE_ROWS), { at, previous, next }, log, changes);
    }
  }
  return changes;
}

interface Neighbours {
  readonly at: UnixMs;
  readonly previous: UnixMs | undefined;
  readonly next: UnixMs | undefined;
}

function* recordNewest(
  tx: Transaction,
  track: Series,
  keys: readonly PrefixKey[],
  { at, previous }: Omit<Neighbours, 'next'>,
  log: ChangeLog | undefined,
  changes: PresenceChanges,
): Steps<void> {
  const open = `select prefix, first_at from evidence_spells where track = $1 and last_at is null and prefix > $2 order by prefix limit ${PAGE_ROWS}`;
  let now = 0;
  let after = tx.keyIn();
  for (let isLast = false; !isLast; ) {
    const page = yield* wait(tx.query<[SqlRow[0], number]>(open, [track.id, after]));
    isLast = page.length < PAGE_ROWS;
    const ended: SqlRow[] = [];
    const begun: PrefixKey[] = [];
    for (const [prefix, firstAt] of page) {
      const key = tx.keyOf(prefix);
      while (now < keys.length && compareKeys(keys[now]!, key) < 0) begun.push(keys[now++]!);
      if (now < keys.length && compareKeys(keys[now]!, key) === 0) now++;
      else {
        ended.push([prefix, track.id, firstAt, previous!]);
        log?.ended(key, track.id, firstAt, previous!);
      }
      after = prefix;
    }
    if (isLast) for (; now < keys.length; now++) begun.push(keys[now]!);
    yield* wait(tx.insert(SPELLS, ended, PUT_LAST));
    yield* wait(tx.insert(SPELLS, spellsFrom(tx, track, begun, at)));
    for (const prefix of begun)
      if (log === undefined) changes.appeared.push({ track, prefix });
      else log.began(prefix, track.id, at);
    changes.added += begun.length;
    changes.ended += ended.length;
  }
}

/**
 * Splits each interval that covers `at` without its entry being in the run: one part ends at the previous
 * run, the other begins at the next.
 */
function* split(
  tx: Transaction,
  track: Series,
  keys: readonly PrefixKey[],
  { at, previous, next }: { readonly at: UnixMs; readonly previous: UnixMs; readonly next: UnixMs },
  log: ChangeLog | undefined,
  changes: PresenceChanges,
): Steps<void> {
  const over = `select prefix, first_at, last_at from evidence_spells where track = $1 and first_at < $2`;
  const spells = yield* wait(
    tx.query<[SqlRow[0], number, number | null]>(`${over} and last_at is null union all ${over} and last_at > $2`, [
      track.id,
      at,
    ]),
  );
  const present = new Set(keys.map(keyText));
  const parted = spells.filter(([prefix]) => !present.has(keyText(tx.keyOf(prefix))));
  yield* wait(
    tx.insert(
      SPELLS,
      parted.map(([prefix, firstAt]) => [prefix, track.id, firstAt, previous]),
      PUT_LAST,
    ),
  );
  yield* wait(
    tx.insert(
      SPELLS,
      parted.map(([prefix, , lastAt]) => [prefix, track.id, next, lastAt]),
    ),
  );
  for (const [prefix] of parted) log?.touched(tx.keyOf(prefix));
  changes.ended += parted.length;
}

const LEFT =
  'select first_at, last_at from evidence_spells where prefix = $1 and track = $2 and first_at <= $3 order by first_at desc limit 1';
const RIGHT = 'select last_at from evidence_spells where prefix = $1 and track = $2 and first_at = $3';

/**
 * Makes an interval of each entry cover `at`, for a run before or between others or a second reading at the
 * same time.
 */
function* cover(
  tx: Transaction,
  track: Series,
  keys: readonly PrefixKey[],
  { at, previous, next }: Neighbours,
  log: ChangeLog | undefined,
  changes: PresenceChanges,
): Steps<void> {
  const about = (time: UnixMs): SqlRow[] => keys.map((key) => [tx.keyIn(key), track.id, time]);
  const lefts = yield* wait(tx.each<[number, number | null]>(LEFT, about(at)));
  const rights = next === undefined ? [] : yield* wait(tx.each<[number | null]>(RIGHT, about(next)));
  const [joined, put]: [SqlRow[], SqlRow[]] = [[], []];
  for (const [i, prefix] of keys.entries()) {
    log?.touched(prefix);
    const left = lefts[i]![0];
    if (left !== undefined && (left[1] === null || left[1] >= at)) continue;
    const right = rights[i]?.[0];
    const key = tx.keyIn(prefix);
    if (right !== undefined) joined.push([key, track.id, next!]);
    const lastAt = right !== undefined ? right[0] : next === undefined ? null : at;
    const extended = left !== undefined && left[1] === previous;
    put.push([key, track.id, extended ? left[0] : at, lastAt]);
    if (!extended && log === undefined) changes.appeared.push({ track, prefix });
  }
  yield* wait(tx.withRows('delete from evidence_spells', ['prefix', 'track', 'first_at'], joined));
  yield* wait(tx.insert(SPELLS, put, PUT_LAST));
  changes.added += put.length;
}

function* spellsFrom(tx: Transaction, track: Series, keys: readonly PrefixKey[], at: UnixMs): Generator<SqlRow> {
  for (const key of keys) yield [tx.keyIn(key), track.id, at, null];
}
