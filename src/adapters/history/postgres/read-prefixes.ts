import type { Observation } from '../../../core/evidence/observation.ts';
import type { Catalogue } from '../read/catalogue.ts';
import { PrefixRecords } from '../read/prefix-records.ts';
import { notRetracted } from '../read/read-changed.ts';
import { bitsOfHex, type PrefixHex } from './prefix-hex.ts';

/**
 * A row of this kind identifies the state of the others: the newest batch's mark in the second column, its
 * number in the fourth.
 */
export const HEAD = 3;

/**
 * The columns are kind (see RECORD), prefix, series, time and end. The time is first_at for presence
 * intervals and memory; the end of a withdrawn event is its made_at.
 */
export type EvidenceRecord = readonly [
  kind: number,
  prefix: PrefixHex,
  track: number,
  at: number,
  lastAt: number | null,
];

/**
 * Selects, per series, the newest event by an instant on each of the newest 14 days with events. It steps
 * along the index, so an address with 100,000 events costs no more than one with 14.
 */
const eventsOfPrefix = (at: string): string => `
  with recursive seen(track) as (
    (select e.track from evidence_events e where e.prefix = p.prefix order by e.track limit 1)
    union all
    select (select e.track from evidence_events e where e.prefix = p.prefix and e.track > seen.track order by e.track limit 1) from seen where seen.track is not null
  ), newest(track, at, n) as (
    select seen.track, (select e.at from evidence_events e where e.prefix = p.prefix and e.track = seen.track and e.at <= ${at} and ${notRetracted(` and r.made_at <= ${at}`)} order by e.at desc limit 1), 1
    from seen where seen.track is not null
    union all
    select w.track, (select e.at from evidence_events e where e.prefix = p.prefix and e.track = w.track and e.at < w.at - w.at % 86400000 and ${notRetracted(` and r.made_at <= ${at}`)} order by e.at desc limit 1), w.n + 1
    from newest w where w.at is not null and w.n < 14
  ) select track, at from newest where at is not null`;

/**
 * Selects everything held about the prefixes $1 as of an instant, and the batch number of that state, in one
 * statement and so from one state. `offset 0` makes the planner look each prefix up in its own partition
 * instead of joining whole tables.
 */
const recordsOfPrefixes = (last: string, events: string): string => `
select 0, encode(p.prefix, 'hex'), s.track, s.first_at, s.last_at
from unnest($1) p(prefix) join lateral (select * from evidence_spells s where s.prefix = p.prefix and s.first_at <= ${last} offset 0) s on true
union all
select 1, encode(p.prefix, 'hex'), e.track, e.at, null from unnest($1) p(prefix) join lateral (${events}) e on true
union all
select 2, encode(p.prefix, 'hex'), m.track, m.first_at, m.last_at
from unnest($1) p(prefix) join lateral (select * from evidence_memory m where m.prefix = p.prefix and m.first_at <= ${last} offset 0) m on true
union all
select 4, encode(p.prefix, 'hex'), w.track, w.at, w.made_at
from unnest($1) p(prefix) join lateral (select * from evidence_withdrawn w where w.prefix = p.prefix and w.at <= ${last} offset 0) w on true
union all
select 3, (select mark from evidence_batches order by sequence desc limit 1), null, (select coalesce(max(sequence), 0) from evidence_batches), null`;

export const RECORDS_AT = 'select * from evidence_at($1, $2)';
/** Records as of all instants $2 as one set; `observationsOf` selects those up to each instant. */
export const RECORDS_AT_EACH = 'select * from evidence_at_each($1, $2)';

/**
 * A function keeps its plan in every session of the server, also behind a pooler, where statements with names
 * do not work. Planning over all partitions takes longer than the work, and JIT compiling a hundred times as
 * long.
 */
const planned = (name: string, times: string, text: string): string =>
  `create or replace function ${name}(bytea[], ${times})
   returns table (of_kind integer, of_prefix text, of_track integer, from_at bigint, until_at bigint)
   language plpgsql stable set jit = off set plan_cache_mode = force_generic_plan
   as $$ begin return query ${text}; end $$`;

/** They belong to the first migration of the evidence: a change of their texts is a new one. */
export const READING_FUNCTIONS: readonly string[] = [
  planned('evidence_at', 'bigint', recordsOfPrefixes('$2', eventsOfPrefix('$2'))),
  planned(
    'evidence_at_each',
    'bigint[]',
    recordsOfPrefixes(
      '(select max(u.at) from unnest($2) u(at))',
      `select distinct e.track, e.at from unnest($2) i(at) join lateral (${eventsOfPrefix('i.at')}) e on true`,
    ),
  ),
];

export function observationsOf(records: readonly EvidenceRecord[], catalogue: Catalogue, until: number): Observation[] {
  const byPrefix = new Map<PrefixHex, PrefixRecords>();
  for (const [kind, prefix, track, at, lastAt] of records) {
    if (at > until) break;
    let held = byPrefix.get(prefix);
    if (held === undefined) {
      held = new PrefixRecords(catalogue, until);
      byPrefix.set(prefix, held);
    }
    held.take(kind, track, at, lastAt);
  }
  return [...byPrefix].flatMap(([prefix, held]) => held.observations(bitsOfHex(prefix)));
}
