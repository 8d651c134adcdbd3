import { alignDays, dayStart, OBSERVED_DAYS } from '../../../core/evidence/observed-days.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { PrefixKey } from '../prefix-key.ts';
import type { PrefixRecords } from '../read/prefix-records.ts';
import { RECORD } from '../read/series-fold.ts';
import { numbers, type Statements } from './statements.ts';

/** Reads the store's rows of exactly one prefix as of `at` into `records`. Inside a read transaction, after `catalogue.refresh()`. */
export function readPrefix(statements: Statements, prefix: PrefixKey, at: number, records: PrefixRecords): void {
  for (const [track, firstAt, lastAt] of all(
    statements,
    'select track, first_at, last_at from spells where prefix = ? and first_at <= ?',
    prefix,
    at,
  ))
    records.take(RECORD.presence, track, firstAt, lastAt);
  readEvents(statements, prefix, at, records);
  for (const [track, firstAt, lastAt] of all(
    statements,
    'select track, first_at, last_at from memory where prefix = ? and first_at <= ?',
    prefix,
    at,
  ))
    records.take(RECORD.firstLast, track, firstAt, lastAt);
  for (const [track, time, madeAt] of all(
    statements,
    'select track, at, made_at from withdrawn where prefix = ? and at <= ?',
    prefix,
    at,
  ))
    records.take(RECORD.withdrawn, track, time, madeAt);
}

/** Whether anything is held of exactly one prefix from the time up to `at`, taken back or not: a prefix without rows then has none at an earlier instant. */
export function holdsRecords(statements: Statements, prefix: PrefixKey, at: number): boolean {
  const any = [
    'spells where prefix = ?1 and first_at',
    'events where prefix = ?1 and at',
    'memory where prefix = ?1 and first_at',
    'withdrawn where prefix = ?1 and at',
  ];
  const sql = `select ${any.map((rows) => `exists (select 1 from ${rows} <= ?2)`).join(' or ')}`;
  return numbers(statements.get(sql).get(prefix, at))[0] === 1;
}

const all = (
  statements: Statements,
  sql: string,
  prefix: PrefixKey,
  at: number,
): readonly (readonly [number, number, number | null])[] =>
  statements.get(sql).all(prefix, at) as unknown as readonly (readonly [number, number, number | null])[];

/** The newest event of each of the newest days with any, by steps along the index: an address with a hundred thousand events costs no more than 14. */
function readEvents(statements: Statements, prefix: PrefixKey, at: number, records: PrefixRecords): void {
  const next = statements.get('select track from events where prefix = ? and track > ? order by track limit 1');
  const newest = statements.get(
    'select at from events where prefix = ? and track = ? and at <= ? order by at desc limit 1',
  );
  for (let track = numbers(next.get(prefix, -1))[0]; track !== undefined; track = numbers(next.get(prefix, track))[0]) {
    let until = at;
    let first: number | undefined;
    for (let day = 0; day < OBSERVED_DAYS; day++) {
      let event = numbers(newest.get(prefix, track, until))[0];
      for (
        let gap = event && records.retractedFrom(track, event);
        gap !== undefined;
        gap = event && records.retractedFrom(track, event)
      )
        event = numbers(newest.get(prefix, track, gap - 1))[0];
      first ??= event;
      if (event === undefined || alignDays(1, event as UnixMs, first as UnixMs) === 0) break;
      records.take(RECORD.event, track, event, null);
      until = dayStart(event as UnixMs) - 1;
    }
  }
}
