/**
 * Corrects what was stored while a fetch counted as a sighting: a reading of unchanged content made a run at the time of the fetch, and every entry was seen again.
 * A run goes when it was dated by our own clock (accepted within an hour of its time), is the only reading of its time, holds what the run before it holds, and its
 * source is not live. Open spells then end at the run that brought the content. What was compacted before is left as it is. How many runs went is a fact of the
 * store, `repeated_runs_removed` until it was reported and `repeated_runs_reported` since. The store gets a new identity, so that every node compiles its image from it.
 */
const LIVE = ['tor-bulk-exits', 'tor-onionoo', 'mullvad', 'ivpn', 'pia', 'nordvpn', 'airvpn'];

const OWN_CLOCK_MS = 3_600_000;

/** @param prefix of the tables' names @param newIdentity expression of a new store identity */
export function removeRepeatedRuns(prefix: '' | 'evidence_', newIdentity: string): readonly string[] {
  const table = (name: string): string => `${prefix}${name}`;
  const repeated = table('repeated');
  return [
    `create table ${repeated} as
      select source, at from (
        select source, at, hash, accepted_at, readings, lag(hash) over w as hash_before, lag(readings) over w as readings_before
        from (select b.*, count(*) over (partition by source, at) as readings from ${table('batches')} b where kind = 'run') b
        window w as (partition by source order by at, sequence)
      ) r
      where hash = hash_before and readings = 1 and readings_before = 1 and accepted_at - at <= ${OWN_CLOCK_MS}
        and source in (select id from ${table('sources')} where name not in (${LIVE.map((id) => `'${id}'`).join(', ')}))
        and exists (select 1 from ${table('runs')} k where k.source = r.source and k.at = r.at)
        and not exists (
          select 1 from ${table('spells')} s join ${table('tracks')} t on t.id = s.track where t.source = r.source and s.first_at = r.at
        )`,
    `delete from ${table('runs')} where exists (select 1 from ${repeated} r where r.source = ${table('runs')}.source and r.at = ${table('runs')}.at)`,
    `update ${table('spells')} set last_at = (
        select max(k.at) from ${table('runs')} k join ${table('tracks')} t on t.source = k.source
        where t.id = ${table('spells')}.track and k.at <= ${table('spells')}.last_at
      )
      where exists (
        select 1 from ${repeated} r join ${table('tracks')} t on t.source = r.source where t.id = ${table('spells')}.track and r.at = ${table('spells')}.last_at
      )`,
    `update ${table('sources')} set last_run_at = (select max(at) from ${table('runs')} k where k.source = ${table('sources')}.id)
      where id in (select source from ${repeated})`,
    `insert into ${table('facts')} (name, value) select 'repeated_runs_removed', count(*) from ${repeated} having count(*) > 0`,
    `update ${table('identity')} set store = ${newIdentity} where exists (select 1 from ${repeated})`,
    `drop table ${repeated}`,
  ];
}
