import type { RunCalendar } from '../../../core/evidence/run-calendar.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { Series } from '../catalogue.ts';
import type { ChangeLog } from '../change-log.ts';
import { compareKeys, keyText, type PrefixKey } from '../prefix-key.ts';
import { numbers, type Statements } from './statements.ts';

/** The entries of one run, by series; keys ascending and distinct. */
export type RunEntries = ReadonlyMap<Series, readonly PrefixKey[]>;

export interface PresenceChanges {
  readonly added: number;
  readonly ended: number;
  /** Entries that the run before this one did not hold. */
  readonly appeared: readonly SeriesEntry[];
}

export interface SeriesEntry {
  readonly track: Series;
  readonly prefix: PrefixKey;
}

/**
 * Brings presence intervals up to one run at `at`. Presence intervals are maximal: between two presence intervals of one entry lies a run without it. The
 * run itself must not be in
 * `runs` yet, unless this is a second reading at the same time, which only adds entries.
 * @param series every series of the source, those without entries in this run too
 * @param log takes every entry whose live rows are no longer what the newest run alone says: begun, ended, split, or held by a late run
 */
export function recordPresence(
  statements: Statements,
  runs: RunCalendar,
  tracks: readonly Series[],
  entries: RunEntries,
  at: UnixMs,
  log: ChangeLog | undefined,
): PresenceChanges {
  if (!runs.has(at) && runs.after(at) === undefined)
    return recordNewest(statements, runs.newest, tracks, entries, at, log);
  return recordLate(statements, runs, tracks, entries, at, log);
}

/** The usual case: a run newer than all others is compared with the open presence intervals, and only differences are written. */
function recordNewest(
  statements: Statements,
  previous: UnixMs | undefined,
  tracks: readonly Series[],
  entries: RunEntries,
  at: UnixMs,
  log: ChangeLog | undefined,
): PresenceChanges {
  const open = statements.get(
    'select prefix, first_at from spells where track = ? and last_at is null order by prefix',
  );
  const end = statements.get('update spells set last_at = ? where prefix = ? and track = ? and first_at = ?');
  const begin = statements.get('insert into spells (prefix, track, first_at, last_at) values (?, ?, ?, null)');
  const appeared: SeriesEntry[] = [];
  let ended = 0;
  for (const track of tracks) {
    const held = open.all(track.id) as unknown as [PrefixKey, number][];
    const now = entries.get(track) ?? [];
    let i = 0;
    let j = 0;
    while (i < held.length || j < now.length) {
      const order = i === held.length ? 1 : j === now.length ? -1 : compareKeys(held[i]![0], now[j]!);
      if (order < 0) {
        const [prefix, firstAt] = held[i]!;
        end.run(previous!, prefix, track.id, firstAt);
        log?.ended(prefix, track.id, firstAt, previous!);
        ended++;
      } else if (order > 0) {
        begin.run(now[j]!, track.id, at);
        log?.began(now[j]!, track.id, at);
        appeared.push({ track, prefix: now[j]! });
      }
      if (order <= 0) i++;
      if (order >= 0) j++;
    }
  }
  return { added: appeared.length, ended, appeared };
}

/** A run between or before others, or a second reading at the time of one: presence intervals that pass over it without its entry are split, its entries are covered. */
function recordLate(
  statements: Statements,
  runs: RunCalendar,
  tracks: readonly Series[],
  entries: RunEntries,
  at: UnixMs,
  log: ChangeLog | undefined,
): PresenceChanges {
  const previous = runs.before(at);
  const next = runs.after(at);
  let ended = 0;
  if (!runs.has(at) && previous !== undefined && next !== undefined) {
    for (const track of tracks) {
      const parted = split(statements, track, entries.get(track) ?? [], { at, previous, next });
      for (const prefix of parted) log?.touched(prefix);
      ended += parted.length;
    }
  }
  const appeared: SeriesEntry[] = [];
  let added = 0;
  for (const [track, keys] of entries) {
    for (const prefix of keys) {
      log?.touched(prefix);
      const outcome = cover(statements, track, prefix, { at, previous, next });
      if (outcome !== 'covered') added++;
      if (outcome === 'appeared') appeared.push({ track, prefix });
    }
  }
  return { added, ended, appeared };
}

interface Neighbours {
  readonly at: UnixMs;
  readonly previous: UnixMs | undefined;
  readonly next: UnixMs | undefined;
}

/** Splits every presence interval that covers `at` and whose entry the run does not hold, into one up to the previous run and one from the next. */
function split(
  statements: Statements,
  track: Series,
  keys: readonly PrefixKey[],
  run: { at: UnixMs; previous: UnixMs; next: UnixMs },
): PrefixKey[] {
  const open = statements.get(
    'select prefix, first_at, last_at from spells where track = ? and last_at is null and first_at < ?',
  );
  const closed = statements.get(
    'select prefix, first_at, last_at from spells where track = ? and last_at > ? and first_at < ?',
  );
  const spells = [...open.all(track.id, run.at), ...closed.all(track.id, run.at, run.at)] as unknown as [
    PrefixKey,
    number,
    number | null,
  ][];
  const present = new Set(keys.map(keyText));
  const shorten = statements.get('update spells set last_at = ? where prefix = ? and track = ? and first_at = ?');
  const begin = statements.get('insert into spells (prefix, track, first_at, last_at) values (?, ?, ?, ?)');
  const touched: PrefixKey[] = [];
  for (const [prefix, firstAt, lastAt] of spells) {
    if (present.has(keyText(prefix))) continue;
    shorten.run(run.previous, prefix, track.id, firstAt);
    begin.run(prefix, track.id, run.next, lastAt);
    touched.push(prefix);
  }
  return touched;
}

/** Makes a presence interval of the entry cover `at`: extends the one that ends at the previous run, the one that begins at the next, joins both, or makes one. */
function cover(
  statements: Statements,
  track: Series,
  prefix: PrefixKey,
  run: Neighbours,
): 'covered' | 'extended' | 'appeared' {
  const find = statements.get(
    'select first_at, last_at from spells where prefix = ? and track = ? and first_at <= ? order by first_at desc limit 1',
  );
  const left = numbers(find.get(prefix, track.id, run.at)) as readonly [number, number | null] | readonly [];
  if (left.length > 0 && (left[1] === null || left[1]! >= run.at)) return 'covered';
  const joinsLeft = left.length > 0 && left[1] === run.previous;
  const right =
    run.next === undefined
      ? undefined
      : (numbers(
          statements
            .get('select last_at from spells where prefix = ? and track = ? and first_at = ?')
            .get(prefix, track.id, run.next),
        ) as readonly (number | null)[]);
  const joinsRight = right !== undefined && right.length > 0;
  if (joinsRight)
    statements
      .get('delete from spells where prefix = ? and track = ? and first_at = ?')
      .run(prefix, track.id, run.next!);
  const lastAt = joinsRight ? right[0]! : run.next === undefined ? null : run.at;
  if (joinsLeft)
    statements
      .get('update spells set last_at = ? where prefix = ? and track = ? and first_at = ?')
      .run(lastAt, prefix, track.id, left[0]!);
  else
    statements
      .get('insert into spells (prefix, track, first_at, last_at) values (?, ?, ?, ?)')
      .run(prefix, track.id, run.at, lastAt);
  return joinsLeft ? 'extended' : 'appeared';
}
