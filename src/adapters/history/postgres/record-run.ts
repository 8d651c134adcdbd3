import type { ClientBase } from 'pg';
import type { RunCalendar } from '../../../core/evidence/run-calendar.ts';
import type { UnixMs } from '../../../core/units.ts';

/**
 * Brings spells up to one run at `at`, whose entries are the rows of `evidence_stage` without a time. The rules are those of ../sqlite/record-run.ts; here
 * each is one statement over all entries. What changed is left in `evidence_touched`.
 * @param tracks every track of the source, those without entries in this run too
 */
export async function recordSpells(
  client: ClientBase,
  runs: RunCalendar,
  tracks: readonly number[],
  at: UnixMs,
): Promise<{ readonly added: number; readonly ended: number }> {
  const count = async (sql: string, values: unknown[]): Promise<number> => Number((await client.query(sql, values)).rows[0].n);
  if (!runs.has(at) && runs.after(at) === undefined) {
    const ended = await count(END, [tracks, runs.newest ?? null]);
    return { ended, added: await count(BEGIN, [at]) };
  }
  const [previous, next] = [runs.before(at), runs.after(at)];
  const splits = !runs.has(at) && previous !== undefined && next !== undefined;
  const ended = splits ? await count(SPLIT, [tracks, at, previous, next]) : 0;
  return { ended, added: await count(COVER, [at, previous ?? null, next ?? null]) };
}

/** Open spells whose entry the newest run does not hold end with the run before it. */
const END = `
with ended as (
  update evidence_spells s set last_at = $2::bigint
  where s.track = any($1::integer[]) and s.last_at is null
    and not exists (select 1 from evidence_stage e where e.track = s.track and e.prefix = s.prefix and e.at is null)
  returning prefix, track
), told as (insert into evidence_touched select prefix, track, false from ended)
select count(*) as n from ended`;

/** Entries of the newest run that have no open spell begin one. */
const BEGIN = `
with begun as (
  insert into evidence_spells (prefix, track, first_at, last_at)
  select distinct prefix, track, $1::bigint, null::bigint from evidence_stage e
  where e.at is null and not exists (select 1 from evidence_spells s where s.prefix = e.prefix and s.track = e.track and s.last_at is null)
  returning prefix, track
), told as (insert into evidence_touched select prefix, track, true from begun)
select count(*) as n from begun`;

/** Spells that pass over a late run without their entry are split: one up to the run before, one from the run after. */
const SPLIT = `
with cut as materialized (
  select prefix, track, first_at, last_at from evidence_spells s
  where s.track = any($1::integer[]) and s.first_at < $2 and (s.last_at is null or s.last_at > $2)
    and not exists (select 1 from evidence_stage e where e.track = s.track and e.prefix = s.prefix and e.at is null)
), shortened as (
  update evidence_spells s set last_at = $3 from cut where s.prefix = cut.prefix and s.track = cut.track and s.first_at = cut.first_at
), begun as (
  insert into evidence_spells (prefix, track, first_at, last_at) select prefix, track, $4, last_at from cut
), told as (insert into evidence_touched select prefix, track, false from cut)
select count(*) as n from cut`;

/**
 * Each entry of a late run gets a spell over its time: the spell that ends at the run before is extended, the one that begins at the run after is joined,
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
told as (insert into evidence_touched select prefix, track, not covered and not joins_left from seen)
select count(*) as n from open`;

/** Events of the stage that are new. $1 sequence, $2 whether they are journalled. */
export const INSERT_EVENTS = `
with fresh as (
  insert into evidence_events (prefix, track, at) select distinct prefix, track, at from evidence_stage where at is not null order by 1, 2, 3
  on conflict do nothing returning prefix, at
), noted as (insert into evidence_journal (sequence, prefix) select distinct $1::bigint, prefix from fresh where $2)
select count(*) as n, min(at) as oldest, max(at) as newest from fresh`;

/** What appeared in an appearance listing becomes events of the track beside its own. $1 sequence, $2 whether they are journalled, $3 time of the run. */
export const INSERT_APPEARED = `
with fresh as (
  insert into evidence_events (prefix, track, at)
  select t.prefix, e.id, $3::bigint from evidence_touched t join evidence_tracks p on p.id = t.track
  join evidence_tracks e on e.source = p.source and e.risk_type = p.risk_type and e.pool = p.pool and not e.presence
  where t.appeared order by 1, 2 on conflict do nothing returning prefix, at
), noted as (insert into evidence_journal (sequence, prefix) select distinct $1::bigint, prefix from fresh where $2)
select count(*) as n, min(at) as oldest, max(at) as newest from fresh`;

export const JOURNAL_TOUCHED = 'insert into evidence_journal (sequence, prefix) select distinct $1::bigint, prefix from evidence_touched';
