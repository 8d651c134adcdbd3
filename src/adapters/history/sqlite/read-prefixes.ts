import { alignDays, dayStart, OBSERVED_DAYS } from '../../../core/evidence/fold-observations.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { PrefixKey } from '../prefix-key.ts';
import type { PrefixRecords } from '../read/prefix-records.ts';
import { RECORD } from '../read/series-fold.ts';
import { numbers, type Statements } from './statements.ts';

/**
 * Reads the records of exactly one prefix as of `at`. Must run in a read transaction with a current
 * catalogue.
 */
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

/**
 * Returns whether the store ever held anything about exactly one prefix up to `at`. If not, it has no rows at
 * earlier instants either.
 */
export function hasRecords(statements: Statements, prefix: PrefixKey, at: number): boolean {
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

/**
 * Reads, per series, the newest event of each of the newest 14 days with events. It steps along the index, so
 * an address with 100,000 events costs no more than one with 14.
 */
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
