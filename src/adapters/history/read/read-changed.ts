import type { SourceChange } from '../../../service/ports.ts';
import { prefixOfKey } from '../prefix-key.ts';
import { type Steps, type Transaction, wait } from '../sql.ts';
import type { ChangedEntry } from '../write/journal.ts';
import { PrefixRecords } from './prefix-records.ts';
import { RECORD } from './series-fold.ts';

/**
 * SQL condition that the event `e` was not retracted. @param madeBy further condition on the time of the
 * retraction
 */
export const notRetracted = (madeBy = ''): string => `not exists (
    select 1 from evidence_retractions r join evidence_tracks t on t.source = r.source and r.sender in ('', t.sender)
    where t.id = e.track and e.at >= r.from_at and e.at < r.to_at${madeBy})`;

const OF_SOURCE = 'track in (select id from evidence_tracks where source = $2)';

const RECORDS = [
  [
    RECORD.presence,
    `select track, first_at, last_at from evidence_spells where prefix = $1 and ${OF_SOURCE} order by first_at`,
  ],
  [
    RECORD.event,
    `select track, max(at), null from evidence_events e where prefix = $1 and ${OF_SOURCE} and ${notRetracted()} group by track, at / 86400000`,
  ],
  [RECORD.firstLast, `select track, first_at, last_at from evidence_memory where prefix = $1 and ${OF_SOURCE}`],
] as const;

export function* readChanged(tx: Transaction, entries: readonly ChangedEntry[]): Steps<readonly SourceChange[]> {
  const records = entries.map(() => new PrefixRecords(tx.catalogue));
  const asked = entries.map(([key, { id }]) => [tx.keyIn(key), id]);
  for (const [kind, text] of RECORDS) {
    const found = yield* wait(tx.each<[track: number, at: number, lastAt: number | null]>(text, asked));
    for (const [entry, rows] of found.entries())
      for (const [track, at, lastAt] of rows) records[entry]!.take(kind, track, at, lastAt);
  }
  return entries.map(([key, source], entry) => {
    const prefix = prefixOfKey(key);
    return { prefix, source: source.name, rows: records[entry]!.liveRows(prefix, source) };
  });
}
