import { dayStart } from '../../../core/evidence/observed-days.ts';
import { DAY_MS, type UnixMs, unixMs } from '../../../core/units.ts';
import type { CondenseOutcome } from '../../../service/ports.ts';
import type { Catalogue } from './catalogue.ts';
import { numbers, type Statements } from './statements.ts';

/** Days of full detail: 30 days of answerable past, the longest window, and 14 observed days before that (decisions 2). */
export const RETENTION_DAYS = 74;

/** Detail that an answer may need before its moment: the longest window and the observed days behind the oldest capture inside it. */
export const LOOK_BACK_DAYS = 44;

const REMEMBER = 'on conflict (prefix, track) do update set first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)';

/**
 * Moves what lies before the horizon into `memory`. Inside a write transaction. A spell that reaches over the horizon stays whole, and of each source
 * the newest run before the horizon stays, so that such a spell still knows its newest capture.
 */
export function condense(statements: Statements, catalogue: Catalogue, now: UnixMs): CondenseOutcome {
  const horizon = unixMs(dayStart(now) - RETENTION_DAYS * DAY_MS);
  const presence = [...catalogue.tracks.values()].filter((track) => track.presence).map((track) => track.id);
  const isPresence = `track in (${presence.join(', ')})`;
  let spells = 0;
  for (const track of catalogue.tracks.values()) {
    if (!track.presence) {
      statements
        .get(
          `insert into memory (prefix, track, first_at, last_at) select prefix, track, min(first_at), max(last_at) from spells
           where track = ? and last_at < ? group by prefix, track ${REMEMBER}`,
        )
        .run(track.id, horizon);
    }
    spells += Number(statements.get('delete from spells where track = ? and last_at < ?').run(track.id, horizon).changes);
  }
  statements
    .get(
      `insert into memory (prefix, track, first_at, last_at) select prefix, track, min(at), max(at) from events
       where at < ? and not ${isPresence} group by prefix, track ${REMEMBER}`,
    )
    .run(horizon);
  const events = Number(statements.get('delete from events where at < ?').run(horizon).changes);
  for (const source of catalogue.sources.values()) {
    const keep = source.runs.before(horizon);
    if (keep !== undefined) statements.get('delete from runs where source = ? and at < ?').run(source.id, keep);
  }
  if (spells + events > 0) {
    const answerable = horizon + LOOK_BACK_DAYS * DAY_MS;
    statements
      .get(`insert into facts (name, value) values ('answerable', ?) on conflict (name) do update set value = max(value, excluded.value)`)
      .run(answerable);
  }
  return { spells, events };
}

/** Earliest moment whose past is held in full detail. */
export function earliest(statements: Statements): UnixMs | undefined {
  const value = numbers(statements.get(`select max(value) from facts where name in ('earliest', 'answerable')`).get())[0];
  return typeof value === 'number' ? unixMs(value) : undefined;
}
