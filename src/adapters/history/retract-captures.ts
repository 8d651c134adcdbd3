import { createHash } from 'node:crypto';
import { DERIVED_ID } from '../../core/collection/derive/derived-capture.ts';
import type { UnixMs } from '../../core/units.ts';
import type { Retraction, RetractionOutcome } from '../../service/ports.ts';
import { beginBatch } from './begin-batch.ts';
import { NOTHING_RETRACTED } from './retractions.ts';
import { type DerivationRow, type Steps, type Transaction, wait } from './sql.ts';
import { supportOf, TakenBack } from './support-of.ts';

/** Takes captures back, and derived ones that rest on nothing else, as a batch each. */
export function* retractCaptures(tx: Transaction, retraction: Retraction): Steps<RetractionOutcome> {
  const { source: name, from, to, madeAt } = retraction;
  const source = tx.catalogue.named(name);
  if (source === undefined) return { status: 'unknown_source' };
  const sequence = yield* beginRetraction(tx, source.id, retraction);
  // This very retraction is there already.
  if (sequence === undefined) return NOTHING_RETRACTED;
  yield* wait(
    tx.query('insert into evidence_retractions (source, from_at, to_at, made_at) values ($1, $2, $3, $4)', [
      source.id,
      from,
      to,
      madeAt,
    ]),
  );
  tx.catalogue.retractions.add(source.id, { from, to, madeAt });
  for (const table of ['evidence_own_captures', 'evidence_actor_captures'])
    yield* wait(tx.query(`delete from ${table} where source = $1 and at >= $2 and at < $3`, [source.id, from, to]));
  const captures = yield* wait(tx.noteRetracted(source, { from, to, madeAt }, sequence));
  return { status: 'retracted', captures, ...(yield* withdrawDerived(tx, retraction)) };
}

function beginRetraction(
  tx: Transaction,
  source: number,
  { source: name, from, to, madeAt }: Retraction,
): Steps<number | undefined> {
  const hash = createHash('sha256')
    .update(JSON.stringify([name, from, to]))
    .digest();
  return beginBatch(tx, source, { kind: 'retraction', at: madeAt, acceptedAt: madeAt, rows: 0 }, hash);
}

/** Derived captures that rest on what was taken back alone count no more either; those that rest on more stay. */
function* withdrawDerived(
  tx: Transaction,
  retraction: Retraction,
): Steps<{ readonly derivedAlone: number; readonly derivedPartly: number }> {
  const derived = tx.catalogue.named(DERIVED_ID);
  if (derived === undefined) return { derivedAlone: 0, derivedPartly: 0 };
  const taken = new TakenBack(tx.catalogue);
  const rows = yield* wait(
    tx.query<[prefix: unknown, type: number, at: UnixMs, sources: string, spans: string]>(
      `select prefix, risk_type, at, sources, spans from evidence_derivations
       where at >= $1 and replace(sources, $2, '') <> sources and retracted_at is null`,
      [retraction.from, JSON.stringify(retraction.source)],
    ),
  );
  const alone: DerivationRow[] = [];
  let derivedPartly = 0;
  for (const [prefix, type, at, sources, spans] of rows) {
    const restsOn = supportOf({ sources, spans });
    const isConcerned = restsOn.some(
      ({ source, first, last }) => source === retraction.source && first < retraction.to && last >= retraction.from,
    );
    if (!isConcerned) continue;
    if (taken.coversAll(restsOn)) alone.push({ prefix, type, at });
    else derivedPartly++;
  }
  if (alone.length === 0) return { derivedAlone: 0, derivedPartly };
  const sequence = yield* beginRetraction(tx, derived.id, retraction);
  const batch = { sequence: sequence!, acceptedAt: retraction.madeAt };
  return { derivedAlone: yield* wait(tx.withdraw(derived, alone, batch)), derivedPartly };
}
