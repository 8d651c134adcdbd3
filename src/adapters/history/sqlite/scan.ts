import type { StatementSync } from 'node:sqlite';
import { alignDays } from '../../../core/evidence/observed-days.ts';
import { mergeSightings, type Sighting, type Spell, sightingOfSpells } from '../../../core/evidence/sighting.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import type { LiveRow } from '../../../service/ports.ts';
import { compareKeys, type PrefixKey, prefixOfKey } from '../prefix-key.ts';
import type { Catalogue } from './catalogue.ts';
import { liveRowsOf } from './read-prefix.ts';
import type { Statements } from './statements.ts';

/** A cursor over one table in (prefix, track, time) order that shows its next row. */
class Cursor<Row extends readonly unknown[]> {
  readonly #rows: Iterator<Row>;
  row: Row | undefined;

  constructor(statement: StatementSync) {
    this.#rows = statement.iterate()[Symbol.iterator]() as unknown as Iterator<Row>;
    this.next();
  }

  next(): void {
    const step = this.#rows.next();
    this.row = step.done === true ? undefined : step.value;
  }

  close(): void {
    this.#rows.return?.();
  }
}

/**
 * All rows of all prefixes in key order, in one pass over three tables at once. Inside a read transaction, after `catalogue.refresh()`.
 * Says the same of each prefix as `readLive` does for all its sources.
 */
export function* scanRows(statements: Statements, catalogue: Catalogue): Generator<LiveRow> {
  const spells = new Cursor<readonly [PrefixKey, number, number, number | null]>(
    statements.get('select prefix, track, first_at, last_at from spells order by prefix, track, first_at'),
  );
  const events = new Cursor<readonly [PrefixKey, number, number]>(statements.get('select prefix, track, at from events order by prefix, track, at'));
  const memory = new Cursor<readonly [PrefixKey, number, number, number]>(
    statements.get('select prefix, track, first_at, last_at from memory order by prefix, track'),
  );
  try {
    const sightings: Sightings = new Map();
    const open = new Map<number, UnixMs>();
    for (;;) {
      const key = lowest(spells.row?.[0], events.row?.[0], memory.row?.[0]);
      if (key === undefined) return;
      sightings.clear();
      open.clear();
      takeSpells(spells, catalogue, key, sightings, open);
      takeEvents(events, key, sightings);
      for (; memory.row !== undefined && compareKeys(memory.row[0], key) === 0; memory.next()) {
        const [, track, , lastAt] = memory.row;
        sightings.set(track, mergeSightings(sightings.get(track), { capturedAt: unixMs(lastAt), days: 1 }));
      }
      const prefix = prefixOfKey(key);
      for (const id of open.keys()) if (!sightings.has(id)) sightings.set(id, undefined);
      for (const [id, over] of sightings) yield* liveRowsOf(prefix, catalogue.tracks.get(id)!, over, open.get(id));
    }
  } finally {
    spells.close();
    events.close();
    memory.close();
  }
}

type Sightings = Map<number, Sighting | undefined>;

function lowest(...keys: readonly (PrefixKey | undefined)[]): PrefixKey | undefined {
  let low: PrefixKey | undefined;
  for (const key of keys) if (key !== undefined && (low === undefined || compareKeys(key, low) < 0)) low = key;
  return low;
}

function takeSpells(
  cursor: Cursor<readonly [PrefixKey, number, number, number | null]>,
  catalogue: Catalogue,
  key: PrefixKey,
  into: Sightings,
  open: Map<number, UnixMs>,
): void {
  while (cursor.row !== undefined && compareKeys(cursor.row[0], key) === 0) {
    const id = cursor.row[1];
    const presence = catalogue.tracks.get(id)!.presence;
    const spells: Spell[] = [];
    for (; cursor.row !== undefined && cursor.row[1] === id && compareKeys(cursor.row[0], key) === 0; cursor.next()) {
      const [, , firstAt, lastAt] = cursor.row;
      if (presence) continue;
      if (lastAt === null) open.set(id, unixMs(firstAt));
      else spells.push({ firstAt: unixMs(firstAt), lastAt: unixMs(lastAt) });
    }
    if (spells.length > 0) into.set(id, sightingOfSpells(spells, catalogue.tracks.get(id)!.source.runs, Number.MAX_SAFE_INTEGER));
  }
}

/** Events come oldest first: each newer one moves the mask and sets its bit. */
function takeEvents(cursor: Cursor<readonly [PrefixKey, number, number]>, key: PrefixKey, into: Sightings): void {
  while (cursor.row !== undefined && compareKeys(cursor.row[0], key) === 0) {
    const id = cursor.row[1];
    let capturedAt = cursor.row[2] as UnixMs;
    let days = 1;
    for (cursor.next(); cursor.row !== undefined && cursor.row[1] === id && compareKeys(cursor.row[0], key) === 0; cursor.next()) {
      const at = cursor.row[2] as UnixMs;
      days = alignDays(days, capturedAt, at) | 1;
      capturedAt = at;
    }
    into.set(id, mergeSightings(into.get(id), { capturedAt, days }));
  }
}
