import { createHash } from 'node:crypto';
import type { Retraction, RetractionOutcome } from '../../../service/ports.ts';
import { ChangeLog } from '../change-log.ts';
import type { PrefixKey } from '../prefix-key.ts';
import type { SqliteCatalogue } from './catalogue.ts';
import { numbers, type Statements } from './statements.ts';

/** Captures of the source between two moments; where the detail is gone, prefixes whose first or last capture lies there. */
const EVENTS = 'from events where at >= ? and at < ? and track in (select id from tracks where source = ?)';
const MEMORY = `from memory where track in (select id from tracks where source = ?3)
  and (first_at >= ?1 and first_at < ?2 or last_at >= ?1 and last_at < ?2)`;
const DERIVED_ALONE = 'select count(*) from derivations where sources = ? and at >= ? and at < ?';

/** A batch in which captures were taken back: its number, and the prefixes that look different since. */
export interface RetractedBatch {
  readonly sequence: number;
  readonly changes: ChangeLog;
  readonly outcome: RetractionOutcome;
}

/** Takes captures back, as a batch of its own. Inside a write transaction. */
export function retractCaptures(statements: Statements, catalogue: SqliteCatalogue, retraction: Retraction): RetractedBatch | RetractionOutcome {
  const { source: name, from, to, madeAt } = retraction;
  const source = [...catalogue.sources.values()].find((entry) => entry.name === name);
  if (source === undefined) return { status: 'unknown_source' };
  if (source.mode !== 'events') return { status: 'list' };
  const hash = createHash('sha256')
    .update(JSON.stringify([from, to]))
    .digest();
  const { lastInsertRowid } = statements
    .get(`insert into batches (source, kind, at, hash, accepted_at, rows, mark) values (?, 'retraction', ?, ?, ?, 0, lower(hex(randomblob(8))))`)
    .run(source.id, madeAt, hash, madeAt);
  statements.get('insert into retractions (source, from_at, to_at, made_at) values (?, ?, ?, ?)').run(source.id, from, to, madeAt);
  catalogue.retractions.add(source.id, { from, to, madeAt });
  for (const table of ['own_captures', 'actor_captures'])
    statements.get(`delete from ${table} where source = ? and at >= ? and at < ?`).run(source.id, from, to);
  const changes = new ChangeLog();
  const prefixes = statements.get(`select prefix ${EVENTS} union select prefix ${MEMORY}`);
  for (const row of prefixes.iterate(from, to, source.id)) changes.touched((row as unknown as [PrefixKey])[0]);
  const [captures] = numbers(statements.get(`select count(*) ${EVENTS}`).get(from, to, source.id));
  const [derivedAlone] = numbers(statements.get(DERIVED_ALONE).get(JSON.stringify([name]), from, to));
  return { sequence: Number(lastInsertRowid), changes, outcome: { status: 'retracted', captures: captures!, derivedAlone: derivedAlone! } };
}
