import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import { DERIVED_ID } from '../../../core/collection/derive/derived-capture.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { Retraction, RetractionOutcome, SourceTrust } from '../../../service/ports.ts';
import type { Catalogue } from '../catalogue.ts';
import { EVERYTHING } from '../change-log.ts';
import { supportOf, TakenBack } from '../support-of.ts';
import { journal, TOUCHED } from './record-run.ts';

/** The prefixes that look different since: of captures between $2 and $3 of the source $1, and where detail is gone, of a first or last one. $4 sequence. */
const NOTE_TOUCHED = `
with series as materialized (select id, presence from evidence_tracks where source = $1),
touched as materialized (
  select prefix from evidence_events where at >= $2 and at < $3 and track in (select id from series)
  union
  select prefix from evidence_memory where track in (select id from series) and (first_at >= $2 and first_at < $3 or last_at >= $2 and last_at < $3)
), logs as (select ${TOUCHED} as log from touched), noted as (${journal('logs', '$4')})
select (select count(*) from touched) as touched,
  (select count(*) from evidence_events where at >= $2 and at < $3 and track in (select id from series))
  + (select count(*) from evidence_spells where track in (select id from series where not presence) and first_at < $3 and (last_at is null or last_at >= $2)) as captures`;

/** Derived captures of the times $3 (prefixes $1, risk types $2) of the source $4 leave the events. $5 moment, $6 sequence. */
const WITHDRAW = `
with named as materialized (select * from unnest($1::bytea[], $2::integer[], $3::bigint[]) n(prefix, risk_type, at)),
old as materialized (
  select e.prefix, e.track, e.at from named n
  join lateral (select * from evidence_events e where e.prefix = n.prefix and e.at = n.at offset 0) e on true
  join evidence_tracks t on t.id = e.track and t.source = $4 and t.risk_type = n.risk_type
), noted_derivations as (
  update evidence_derivations d set retracted_at = $5 from named n where d.prefix = n.prefix and d.risk_type = n.risk_type and d.at = n.at
), gone as (
  delete from evidence_events e using old where e.prefix = old.prefix and e.track = old.track and e.at = old.at returning e.prefix, e.track, e.at
), kept as (
  insert into evidence_withdrawn (prefix, track, at, made_at) select prefix, track, at, $5 from gone
  on conflict (prefix, track, at) do update set made_at = excluded.made_at
), logs as (select ${TOUCHED} as log from gone), noted as (${journal('logs', '$6')})
select count(distinct (prefix, at)) as n from gone`;

/** Derived captures looked at, and withdrawn, at once. */
const PAGE_ROWS = 5000;

/** A batch in which captures were taken back: its number, and how many prefixes look different since. */
interface RetractedBatch {
  readonly sequence: number;
  readonly touched: number;
}

export interface RetractedBatches {
  readonly batches: readonly RetractedBatch[];
  readonly outcome: RetractionOutcome;
}

/** Takes captures back, and derived ones that rest on nothing else, as a batch each. Inside a write transaction. */
export async function retractCaptures(
  client: PoolClient,
  catalogue: Catalogue,
  retraction: Retraction,
): Promise<RetractedBatches> {
  const { source: name, from, to, madeAt } = retraction;
  const source = catalogue.named(name);
  if (source === undefined) return { batches: [], outcome: { status: 'unknown_source' } };
  const sequence = catalogue.head.sequence + 1;
  await beginBatch(client, sequence, source.id, retraction);
  await client.query('insert into evidence_retractions (source, from_at, to_at, made_at) values ($1, $2, $3, $4)', [
    source.id,
    from,
    to,
    madeAt,
  ]);
  await client.query('delete from evidence_own_captures where source = $1 and at >= $2 and at < $3', [
    source.id,
    from,
    to,
  ]);
  await client.query('delete from evidence_actor_captures where source = $1 and at >= $2 and at < $3', [
    source.id,
    from,
    to,
  ]);
  const { rows } = await client.query<{ touched: string; captures: string }>(NOTE_TOUCHED, [
    source.id,
    from,
    to,
    sequence,
  ]);
  const { alone, partly } = await withdrawDerived(client, catalogue, retraction, sequence + 1);
  return {
    // Rows of open presence intervals follow from the runs, all at once.
    batches: [
      { sequence, touched: source.runs.length > 0 ? EVERYTHING : Number(rows[0]!.touched) },
      ...(alone === 0 ? [] : [{ sequence: sequence + 1, touched: alone }]),
    ],
    outcome: { status: 'retracted', captures: Number(rows[0]!.captures), derivedAlone: alone, derivedPartly: partly },
  };
}

/** Notes what was said of a source. Inside a write transaction. @returns why nothing can be said of it */
export async function putTrust(
  client: PoolClient,
  catalogue: Catalogue,
  { source: name, trust, madeAt, actor, reason }: SourceTrust,
): Promise<RetractionOutcome | undefined> {
  const source = catalogue.named(name);
  if (source === undefined) return { status: 'unknown_source' };
  await client.query(
    `insert into evidence_trust as t (source, trust, made_at, actor, reason) values ($1, $2, $3, $4, $5) on conflict (source) do update set trust = excluded.trust,
     made_at = case when t.trust = excluded.trust then t.made_at else excluded.made_at end, actor = excluded.actor, reason = excluded.reason`,
    [source.id, trust, madeAt, actor, reason],
  );
  return undefined;
}

async function beginBatch(client: PoolClient, sequence: number, source: number, retraction: Retraction): Promise<void> {
  const { from, to, madeAt } = retraction;
  const hash = createHash('sha256')
    .update(JSON.stringify([retraction.source, from, to]))
    .digest();
  await client.query(
    `insert into evidence_batches (sequence, source, kind, at, hash, accepted_at, rows) values ($1, $2, 'retraction', $3, $4, $3, 0)`,
    [sequence, source, madeAt, hash],
  );
}

interface DerivationRow {
  readonly prefix: Buffer;
  readonly risk_type: number;
  readonly at: UnixMs;
  readonly sources: string;
  readonly spans: string;
}

/** Derived captures that rest on what was taken back alone count no more either; those that rest on more stay. @param sequence of the batch, begun where there is any */
async function withdrawDerived(
  client: PoolClient,
  catalogue: Catalogue,
  retraction: Retraction,
  sequence: number,
): Promise<{ readonly alone: number; readonly partly: number }> {
  const derived = catalogue.named(DERIVED_ID);
  if (derived === undefined) return { alone: 0, partly: 0 };
  const taken = new TakenBack(catalogue, retraction);
  const { rows } = await client.query<DerivationRow>(
    'select prefix, risk_type, at, sources, spans from evidence_derivations where at >= $1 and strpos(sources, $2) > 0 and retracted_at is null',
    [retraction.from, JSON.stringify(retraction.source)],
  );
  const concerned = rows
    .map((row) => ({ row, restsOn: supportOf(row) }))
    .filter(({ restsOn }) =>
      restsOn.some(
        ({ source, first, last }) => source === retraction.source && first < retraction.to && last >= retraction.from,
      ),
    );
  const unsupported = concerned.filter(({ restsOn }) => taken.coversAll(restsOn)).map(({ row }) => row);
  if (unsupported.length > 0) await beginBatch(client, sequence, derived.id, retraction);
  let alone = 0;
  for (let first = 0; first < unsupported.length; first += PAGE_ROWS) {
    const page = unsupported.slice(first, first + PAGE_ROWS);
    const columns = [page.map(({ prefix }) => prefix), page.map((row) => row.risk_type), page.map(({ at }) => at)];
    const withdrawn = await client.query<{ n: string }>(WITHDRAW, [
      ...columns,
      derived.id,
      retraction.madeAt,
      sequence,
    ]);
    alone += Number(withdrawn.rows[0]!.n);
  }
  return { alone, partly: concerned.length - unsupported.length };
}
