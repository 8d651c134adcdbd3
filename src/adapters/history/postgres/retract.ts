import { createHash } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Retraction, RetractionOutcome } from '../../../service/ports.ts';
import type { Catalogue } from '../catalogue.ts';
import { journal, TOUCHED } from './record-run.ts';

/** The prefixes that look different since: of captures between $2 and $3 of the source $1, and where detail is gone, of a first or last one. $4 sequence. */
const NOTE_TOUCHED = `
with series as materialized (select id from evidence_tracks where source = $1),
touched as materialized (
  select prefix from evidence_events where at >= $2 and at < $3 and track in (select id from series)
  union
  select prefix from evidence_memory where track in (select id from series) and (first_at >= $2 and first_at < $3 or last_at >= $2 and last_at < $3)
), logs as (select ${TOUCHED} as log from touched), noted as (${journal('logs', '$4')})
select (select count(*) from touched) as touched,
  (select count(*) from evidence_events where at >= $2 and at < $3 and track in (select id from series)) as captures`;

/** Takes captures back, as a batch of its own. Inside a write transaction. @returns undefined in `touched`: nothing was done */
export async function retractCaptures(
  client: PoolClient,
  catalogue: Catalogue,
  { source: name, from, to, madeAt }: Retraction,
): Promise<{ readonly outcome: RetractionOutcome; readonly sequence?: number; readonly touched?: number }> {
  const source = [...catalogue.sources.values()].find((entry) => entry.name === name);
  if (source === undefined) return { outcome: { status: 'unknown_source' } };
  if (source.mode !== 'events') return { outcome: { status: 'list' } };
  const sequence = catalogue.head.sequence + 1;
  const hash = createHash('sha256')
    .update(JSON.stringify([from, to]))
    .digest();
  await client.query(
    `insert into evidence_batches (sequence, source, kind, at, hash, accepted_at, rows, journalled, logged) values ($1, $2, 'retraction', $3, $4, $3, 0, false, true)`,
    [sequence, source.id, madeAt, hash],
  );
  await client.query('insert into evidence_retractions (source, from_at, to_at, made_at) values ($1, $2, $3, $4)', [source.id, from, to, madeAt]);
  await client.query('delete from evidence_own_captures where source = $1 and at >= $2 and at < $3', [source.id, from, to]);
  await client.query('delete from evidence_actor_captures where source = $1 and at >= $2 and at < $3', [source.id, from, to]);
  const { rows } = await client.query<{ touched: string; captures: string }>(NOTE_TOUCHED, [source.id, from, to, sequence]);
  const derived = await client.query<{ n: string }>('select count(*) as n from evidence_derivations where sources = $1 and at >= $2 and at < $3', [
    JSON.stringify([name]),
    from,
    to,
  ]);
  const outcome = { status: 'retracted', captures: Number(rows[0]!.captures), derivedAlone: Number(derived.rows[0]!.n) } as const;
  return { outcome, sequence, touched: Number(rows[0]!.touched) };
}
