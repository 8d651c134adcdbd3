import type { ClientBase } from 'pg';
import type { RunCalendar } from '../../../core/evidence/run-calendar.ts';
import type { UnixMs } from '../../../core/units.ts';
import { CHANGES_MAX } from '../change-log.ts';

/**
 * Brings presence intervals up to one run, whose entries are the rows of `evidence_stage` without a time. Presence intervals are maximal: between two
 * presence intervals of one entry lies a run
 * without it. Each rule is one statement over all entries, which also writes the journal; an appearance listing leaves in `evidence_appeared` what appeared.
 * @param series every series of the source, those without entries in this run too
 */
export async function recordPresence(
  client: ClientBase,
  runs: RunCalendar,
  tracks: readonly number[],
  { at, sequence, appearance }: { readonly at: UnixMs; readonly sequence: number; readonly appearance: boolean },
): Promise<{ readonly added: number; readonly ended: number }> {
  const count = async (sql: string, values: unknown[]): Promise<number> =>
    Number((await client.query(sql, [...values, sequence, appearance])).rows[0].n);
  if (!runs.has(at) && runs.after(at) === undefined) {
    const ended = await count(END, [tracks, runs.newest ?? null]);
    return { ended, added: await count(BEGIN, [at]) };
  }
  const [previous, next] = [runs.before(at), runs.after(at)];
  const splits = !runs.has(at) && previous !== undefined && next !== undefined;
  const ended = splits ? await count(SPLIT, [tracks, at, previous, next]) : 0;
  return { ended, added: await count(COVER, [at, previous ?? null, next ?? null]) };
}

/** Changes a row of the journal holds. */
const LOG_ROWS = 50_000;

/**
 * Writes changes into the journal, in pieces, unless there are too many.
 * @param what rows with a column `log`, each a change in bytes (../change-log.ts)
 */
export const journal = (what: string, sequence: string, when = 'true'): string => `
  insert into evidence_changes (sequence, log)
  select ${sequence}::bigint, '\\x03'::bytea || string_agg(n.log, '')
  from (select log, row_number() over () / ${LOG_ROWS} as piece from ${what} changes) n
  where ${when} and (select count(*) from ${what}) <= ${CHANGES_MAX} group by n.piece`;

const change = (code: number, ...more: readonly string[]): string =>
  [`set_byte(prefix, 0, get_byte(prefix, 0) + ${16 * code})`, ...more].join(' || ');
const time = (column: string): string => `substring(int8send(${column}) from 3)`;
const CAPTURED = change(1, 'int4send(track)', time('at'));
const BEGAN = change(2, 'int4send(track)', time('first_at'));
const ENDED = change(3, 'int4send(track)', time('first_at'), time('last_at'));
/** The bytes of a prefix are those of this change. */
export const TOUCHED = 'prefix';

/** Open presence intervals whose entry the newest run does not hold end with the run before it. */
const END = `
with ended as (
  update evidence_spells s set last_at = $2::bigint
  where s.track = any($1::integer[]) and s.last_at is null
    and not exists (select 1 from evidence_stage e where e.track = s.track and e.prefix = s.prefix and e.at is null)
  returning prefix, track, first_at, last_at
), logs as (select ${ENDED} as log from ended), noted as (${journal('logs', '$3', 'not $4::boolean')})
select count(*) as n from ended`;

/** Entries of the newest run that have no open presence interval begin one. */
const BEGIN = `
with begun as (
  insert into evidence_spells (prefix, track, first_at, last_at)
  select distinct prefix, track, $1::bigint, null::bigint from evidence_stage e
  where e.at is null and not exists (select 1 from evidence_spells s where s.prefix = e.prefix and s.track = e.track and s.last_at is null)
  returning prefix, track, first_at
), logs as (select ${BEGAN} as log from begun), noted as (${journal('logs', '$2', 'not $3::boolean')}),
appeared as (insert into evidence_appeared select prefix, track from begun where $3::boolean)
select count(*) as n from begun`;

/** Presence intervals that pass over a late run without their entry are split: one up to the run before, one from the run after. */
const SPLIT = `
with cut as materialized (
  select prefix, track, first_at, last_at from evidence_spells s
  where s.track = any($1::integer[]) and s.first_at < $2 and (s.last_at is null or s.last_at > $2)
    and not exists (select 1 from evidence_stage e where e.track = s.track and e.prefix = s.prefix and e.at is null)
), shortened as (
  update evidence_spells s set last_at = $3 from cut where s.prefix = cut.prefix and s.track = cut.track and s.first_at = cut.first_at
), begun as (
  insert into evidence_spells (prefix, track, first_at, last_at) select prefix, track, $4, last_at from cut
), logs as (select ${TOUCHED} as log from cut), noted as (${journal('logs', '$5', 'not $6::boolean')})
select count(*) as n from cut`;

/**
 * Each entry of a late run gets a presence interval over its time: the presence interval that ends at the run before is extended, the one that begins at the
 * run after is joined,
 * both become one, or a new one is made. The parts of the statement see one state and never touch the same row.
 */
const COVER = `
with entries as materialized (select distinct prefix, track from evidence_stage where at is null),
seen as materialized (
  select e.prefix, e.track, l.first_at as left_first, l.last_at as left_last, r.first_at as right_first, r.last_at as right_last,
    l.first_at is not null and (l.last_at is null or l.last_at >= $1) as covered, coalesce(l.last_at = $2::bigint, false) as joins_left
  from entries e
  left join lateral (
    select first_at, last_at from evidence_spells s where s.prefix = e.prefix and s.track = e.track and s.first_at <= $1 order by first_at desc limit 1
  ) l on true
  left join evidence_spells r on r.prefix = e.prefix and r.track = e.track and r.first_at = $3::bigint
),
open as materialized (
  select *, case when right_first is not null then right_last when $3::bigint is null then null else $1::bigint end as last_at from seen where not covered
),
joined as (
  delete from evidence_spells s using open o where o.right_first is not null and s.prefix = o.prefix and s.track = o.track and s.first_at = o.right_first
),
extended as (
  update evidence_spells s set last_at = o.last_at from open o where o.joins_left and s.prefix = o.prefix and s.track = o.track and s.first_at = o.left_first
),
begun as (insert into evidence_spells (prefix, track, first_at, last_at) select prefix, track, $1::bigint, last_at from open where not joins_left),
logs as (select ${TOUCHED} as log from seen), noted as (${journal('logs', '$4', 'not $5::boolean')}),
appeared as (insert into evidence_appeared select prefix, track from open where not joins_left and $5::boolean)
select count(*) as n from open`;

/** Events of the stage that are new. $1 sequence. */
export const INSERT_EVENTS = `
with fresh as (
  insert into evidence_events (prefix, track, at) select distinct prefix, track, at from evidence_stage where at is not null order by 1, 2, 3
  on conflict do nothing returning prefix, track, at
), logs as (select ${CAPTURED} as log from fresh), noted as (${journal('logs', '$1')})
select count(*) as n, max(at) as newest from fresh`;

/** Captures that are new. $1 sequence, $2 to $4 their prefixes, series and times. */
export const INSERT_CAPTURES = `
with fresh as (
  insert into evidence_events (prefix, track, at)
  select distinct g.prefix, g.track, g.at from unnest($2::bytea[], $3::integer[], $4::bigint[]) g(prefix, track, at) order by 1, 2, 3
  on conflict do nothing returning prefix, track, at
), logs as (select ${CAPTURED} as log from fresh), noted as (${journal('logs', '$1')})
select count(*) as n, max(at) as newest from fresh`;

/** What appeared in an appearance listing becomes events of the series next to its own. $1 sequence, $2 time of the run. */
export const INSERT_APPEARED = `
with fresh as (
  insert into evidence_events (prefix, track, at)
  select a.prefix, e.id, $2::bigint from evidence_appeared a join evidence_tracks p on p.id = a.track
  join evidence_tracks e on e.source = p.source and e.risk_type = p.risk_type and e.pool = p.pool and not e.presence
  order by 1, 2 on conflict do nothing returning prefix, track, at
), logs as (select ${CAPTURED} as log from fresh), noted as (${journal('logs', '$1')})
select count(*) as n, max(at) as newest from fresh`;
