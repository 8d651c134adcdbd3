import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { alignDays } from '../../../core/evidence/observed-days.ts';
import { mergeSightings, type Sighting, type Spell, sightingOfSpells } from '../../../core/evidence/sighting.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import type { LiveRow } from '../../../service/ports.ts';
import { compareKeys, type PrefixKey, prefixOfKey } from '../prefix-key.ts';
import type { Catalogue } from './catalogue.ts';
import { liveRowsOf } from './read-prefix.ts';
import type { Statements } from './statements.ts';

/** Rows fetched at once: a call for each row costs nearly twice as much, and longer pages live long enough to be copied by collections of garbage. */
const PAGE_ROWS = 1024;

/** A cursor over one table in the order of its primary key that shows its next row. The key is the row's first columns. */
class Cursor<Row extends readonly unknown[]> {
  readonly #statement: StatementSync;
  readonly #keyColumns: number;
  #page: readonly Row[] = [];
  #at = 0;
  row: Row | undefined;

  constructor(statements: Statements, table: string, key: readonly string[], more: readonly string[]) {
    const columns = key.join(', ');
    const after = key.map(() => '?').join(', ');
    this.#statement = statements.get(
      `select ${[...key, ...more].join(', ')} from ${table} where (${columns}) > (${after}) order by ${columns} limit ${PAGE_ROWS}`,
    );
    this.#keyColumns = key.length;
    this.#fetch([-1, ...key.slice(1).map(() => 0)]);
  }

  next(): void {
    this.#at += 1;
    if (this.#at < this.#page.length) this.row = this.#page[this.#at];
    else if (this.#page.length < PAGE_ROWS) this.row = undefined;
    else this.#fetch(this.row!.slice(0, this.#keyColumns) as SQLInputValue[]);
  }

  #fetch(after: readonly SQLInputValue[]): void {
    this.#page = this.#statement.all(...after) as unknown as readonly Row[];
    this.#at = 0;
    this.row = this.#page[0];
  }
}

/**
 * All rows of all prefixes in key order, in one pass over three tables at once. Inside a read transaction, after `catalogue.refresh()`.
 * Says the same of each prefix as `readLive` does for all its sources.
 */
export function* scanRows(statements: Statements, catalogue: Catalogue): Generator<LiveRow> {
  const spells = new Cursor<readonly [PrefixKey, number, number, number | null]>(statements, 'spells', ['prefix', 'track', 'first_at'], ['last_at']);
  const events = new Cursor<readonly [PrefixKey, number, number]>(statements, 'events', ['prefix', 'track', 'at'], []);
  const memory = new Cursor<readonly [PrefixKey, number, number, number]>(statements, 'memory', ['prefix', 'track'], ['first_at', 'last_at']);
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
