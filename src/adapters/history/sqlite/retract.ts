import { createHash } from 'node:crypto';
import { RISK_TYPES } from '../../../contract/risk.ts';
import { DERIVED_ID } from '../../../core/collection/derive/derived-capture.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { Retraction, RetractionOutcome, SourceTrust } from '../../../service/ports.ts';
import { ChangeLog } from '../change-log.ts';
import type { PrefixKey } from '../prefix-key.ts';
import { supportOf, TakenBack } from '../support-of.ts';
import type { SqliteCatalogue } from './catalogue.ts';
import { numbers, type Statements } from './statements.ts';

/** Captures of the source between two moments; where the detail is gone, prefixes whose first or last capture lies there; presence intervals that reach into the stretch. */
const EVENTS = 'from events where at >= ? and at < ? and track in (select id from tracks where source = ?)';
const MEMORY = `from memory where track in (select id from tracks where source = ?3)
  and (first_at >= ?1 and first_at < ?2 or last_at >= ?1 and last_at < ?2)`;
const INTERVALS = `from spells where track in (select id from tracks where source = ?3 and presence = 0) and first_at < ?2 and (last_at is null or last_at >= ?1)`;

/** A batch in which captures were taken back: its number, and the prefixes that look different since. */
interface RetractedBatch {
  readonly sequence: number;
  readonly changes: ChangeLog;
}

export interface RetractedBatches {
  readonly batches: readonly RetractedBatch[];
  readonly outcome: RetractionOutcome;
}

/** Takes captures back, and derived ones that rest on nothing else, as a batch each. Inside a write transaction. */
export function retractCaptures(
  statements: Statements,
  catalogue: SqliteCatalogue,
  retraction: Retraction,
): RetractedBatches {
  const { source: name, from, to, madeAt } = retraction;
  const source = catalogue.named(name);
  if (source === undefined) return { batches: [], outcome: { status: 'unknown_source' } };
  const sequence = beginBatch(statements, source.id, retraction);
  statements
    .get('insert into retractions (source, from_at, to_at, made_at) values (?, ?, ?, ?)')
    .run(source.id, from, to, madeAt);
  catalogue.retractions.add(source.id, { from, to, madeAt });
  for (const table of ['own_captures', 'actor_captures'])
    statements.get(`delete from ${table} where source = ? and at >= ? and at < ?`).run(source.id, from, to);
  const changes = new ChangeLog();
  // Rows of open presence intervals follow from the runs, all at once.
  if (source.runs.length > 0) changes.everything();
  const prefixes = statements.get(`select prefix ${EVENTS} union select prefix ${MEMORY}`);
  for (const row of prefixes.iterate(from, to, source.id)) changes.touched((row as unknown as [PrefixKey])[0]);
  const [events] = numbers(statements.get(`select count(*) ${EVENTS}`).get(from, to, source.id));
  const [intervals] = numbers(statements.get(`select count(*) ${INTERVALS}`).get(from, to, source.id));
  const derived = withdrawDerived(statements, catalogue, retraction);
  const { alone: derivedAlone, partly: derivedPartly } = derived;
  return {
    batches: [{ sequence, changes }, ...(derived.batch === undefined ? [] : [derived.batch])],
    outcome: { status: 'retracted', captures: events! + intervals!, derivedAlone, derivedPartly },
  };
}

/** Notes what was said of a source. Inside a write transaction. @returns why nothing can be said of it */
export function putTrust(
  statements: Statements,
  catalogue: SqliteCatalogue,
  { source: name, trust, madeAt, actor, reason }: SourceTrust,
): RetractionOutcome | undefined {
  const source = catalogue.named(name);
  if (source === undefined) return { status: 'unknown_source' };
  statements
    .get(
      `insert into trust as t (source, trust, made_at, actor, reason) values (?, ?, ?, ?, ?) on conflict (source) do update set trust = excluded.trust,
       made_at = iif(t.trust = excluded.trust, t.made_at, excluded.made_at), actor = excluded.actor, reason = excluded.reason`,
    )
    .run(source.id, trust, madeAt, actor, reason);
  return undefined;
}

function beginBatch(statements: Statements, source: number, retraction: Retraction): number {
  const { from, to, madeAt } = retraction;
  const hash = createHash('sha256')
    .update(JSON.stringify([retraction.source, from, to]))
    .digest();
  const { lastInsertRowid } = statements
    .get(`insert into batches (source, kind, at, hash, accepted_at, rows) values (?, 'retraction', ?, ?, ?, 0)`)
    .run(source, madeAt, hash, madeAt);
  return Number(lastInsertRowid);
}

/** Derived captures that rest on what was taken back alone count no more either; those that rest on more stay. */
function withdrawDerived(
  statements: Statements,
  catalogue: SqliteCatalogue,
  retraction: Retraction,
): { readonly alone: number; readonly partly: number; readonly batch?: RetractedBatch } {
  const derived = catalogue.named(DERIVED_ID);
  if (derived === undefined) return { alone: 0, partly: 0 };
  const taken = new TakenBack(catalogue, retraction);
  const changes = new ChangeLog();
  let [alone, partly] = [0, 0];
  const rows = statements
    .get(
      'select prefix, risk_type, at, sources, spans from derivations where at >= ? and instr(sources, ?) > 0 and retracted_at is null',
    )
    .all(retraction.from, JSON.stringify(retraction.source)) as unknown as readonly (readonly [
    PrefixKey,
    number,
    UnixMs,
    string,
    string,
  ])[];
  for (const [prefix, type, at, sources, spans] of rows) {
    const restsOn = supportOf({ sources, spans });
    if (
      !restsOn.some(
        ({ source, first, last }) => source === retraction.source && first < retraction.to && last >= retraction.from,
      )
    )
      continue;
    if (!taken.coversAll(restsOn)) partly++;
    else if (withdrawEvents(statements, catalogue, { prefix, type, at }, retraction.madeAt)) {
      alone++;
      changes.touched(prefix);
    }
  }
  return alone === 0
    ? { alone, partly }
    : { alone, partly, batch: { sequence: beginBatch(statements, derived.id, retraction), changes } };
}

/** @returns whether there was such a capture */
function withdrawEvents(
  statements: Statements,
  { tracks }: SqliteCatalogue,
  { prefix, type, at }: { readonly prefix: PrefixKey; readonly type: number; readonly at: UnixMs },
  madeAt: UnixMs,
): boolean {
  statements
    .get('update derivations set retracted_at = ? where prefix = ? and risk_type = ? and at = ?')
    .run(madeAt, prefix, type, at);
  const held = statements
    .get('select track from events where prefix = ? and at = ?')
    .all(prefix, at) as unknown as readonly (readonly [number])[];
  const own = held
    .map(([track]) => tracks.get(track)!)
    .filter(({ source, riskType }) => source.name === DERIVED_ID && riskType === RISK_TYPES[type]);
  for (const { id } of own) {
    statements.get('delete from events where prefix = ? and track = ? and at = ?').run(prefix, id, at);
    statements
      .get('insert or replace into withdrawn (prefix, track, at, made_at) values (?, ?, ?, ?)')
      .run(prefix, id, at, madeAt);
  }
  return own.length > 0;
}
