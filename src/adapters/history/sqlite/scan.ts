import type { SQLInputValue, StatementSync } from 'node:sqlite';
import { RISK_TYPES } from '../../../contract/risk.ts';
import { capturesOfSpells, type Spell } from '../../../core/evidence/captures-of-source.ts';
import type { RunCalendar } from '../../../core/evidence/run-calendar.ts';
import { type Captures, uniteCaptures, uniteDays } from '../../../core/evidence/unite-captures.ts';
import { type UnixMs, unixMs } from '../../../core/units.ts';
import { type EvidenceColumns, type LiveSource, ROW_OP } from '../../../engine/evidence/evidence-delta.ts';
import { EvidenceRowBuffer } from '../../../engine/evidence/evidence-row-buffer.ts';
import type { LiveRow } from '../../../service/ports.ts';
import { compareKeys, type PrefixKey, prefixOfKey } from '../prefix-key.ts';
import type { Catalogue } from './catalogue.ts';
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

type SpellRow = readonly [PrefixKey, number, number, number | null];
type EventRow = readonly [PrefixKey, number, number];
type MemoryRow = readonly [PrefixKey, number, number, number];

/** Rows a chunk holds at least, unless it is the last. */
const CHUNK_ROWS = 65_536;

/**
 * All rows of all prefixes in key order, in one pass over three tables at once, in chunks whose memory is used again. Says the same of each prefix as `readLive`
 * does for all its sources. `source` and `pool` index what `scanLists` gives. Inside a read transaction, after `catalogue.refresh()`.
 */
export function* scanColumns(statements: Statements, catalogue: Catalogue): Generator<EvidenceColumns> {
  const spells = new Cursor<SpellRow>(statements, 'spells', ['prefix', 'track', 'first_at'], ['last_at']);
  const events = new Cursor<EventRow>(statements, 'events', ['prefix', 'track', 'at'], []);
  const memory = new Cursor<MemoryRow>(statements, 'memory', ['prefix', 'track'], ['first_at', 'last_at']);
  const units = unitsOf(catalogue);
  const buffer = new EvidenceRowBuffer(CHUNK_ROWS);
  for (;;) {
    const key = lowest(spells.row?.[0], events.row?.[0], memory.row?.[0]);
    if (key === undefined) break;
    for (;;) {
      const track = Math.min(trackAt(spells.row, key), trackAt(events.row, key), trackAt(memory.row, key));
      if (track === Number.POSITIVE_INFINITY) break;
      const unit = units[track]!;
      const { open, over } = takeSpells(spells, key, track, unit);
      const seen = takeMemory(memory, key, track, takeEvents(events, key, track, over));
      if (seen !== undefined) append(buffer, key, ROW_OP.fixed, unit, seen.capturedAt, seen.days);
      if (open !== undefined) append(buffer, key, ROW_OP.following, unit, open, 0);
    }
    if (buffer.length < CHUNK_ROWS) continue;
    yield buffer.columns();
    buffer.reset();
  }
  if (buffer.length > 0) yield buffer.columns();
}

/** The lists that numbers in `scanColumns` index. */
export function scanLists(catalogue: Catalogue): { readonly sources: readonly LiveSource[]; readonly pools: readonly string[] } {
  return { sources: catalogue.liveSources(), pools: [...new Set(['', ...[...catalogue.tracks.values()].map(({ pool }) => pool)])] };
}

/** The same rows one by one. */
export function* scanRows(statements: Statements, catalogue: Catalogue): Generator<LiveRow> {
  const { sources, pools } = scanLists(catalogue);
  for (const { length, op, family, words, bits, source, type, pool, capturedAt, days } of scanColumns(statements, catalogue)) {
    for (let i = 0; i < length; i++) {
      yield {
        prefix: { family: family[i] === 4 ? 4 : 6, w0: words[4 * i]!, w1: words[4 * i + 1]!, w2: words[4 * i + 2]!, w3: words[4 * i + 3]!, bits: bits[i]! },
        source: sources[source[i]!]!.id,
        riskType: RISK_TYPES[type[i]!]!,
        pool: pools[pool[i]!]!,
        following: op[i] === ROW_OP.following,
        capturedAt: unixMs(capturedAt[i]!),
        days: days[i]!,
      };
    }
  }
}

/** A track in the numbers of the columns. */
interface Unit {
  readonly source: number;
  readonly type: number;
  readonly pool: number;
  readonly presence: boolean;
  readonly runs: RunCalendar;
}

/** By the track's number: they are small. */
function unitsOf(catalogue: Catalogue): readonly Unit[] {
  const { sources, pools } = scanLists(catalogue);
  const numbers = new Map(sources.map(({ id }, number) => [id, number]));
  const units: Unit[] = [];
  for (const { id, source, riskType, pool, presence } of catalogue.tracks.values()) {
    units[id] = { source: numbers.get(source.name)!, type: RISK_TYPES.indexOf(riskType), pool: pools.indexOf(pool), presence, runs: source.runs };
  }
  return units;
}

function append(buffer: EvidenceRowBuffer, key: PrefixKey, op: number, { source, type, pool }: Unit, capturedAt: UnixMs, days: number): void {
  let i: number;
  if (typeof key === 'number') i = buffer.prefix(4, Math.floor(key / 64), 0, 0, 0, key % 64);
  else {
    const { w0, w1, w2, w3, bits } = prefixOfKey(key);
    i = buffer.prefix(6, w0, w1, w2, w3, bits);
  }
  buffer.row(i, op, source, type, pool, capturedAt, days);
}

function lowest(a: PrefixKey | undefined, b: PrefixKey | undefined, c: PrefixKey | undefined): PrefixKey | undefined {
  const lower = a === undefined || (b !== undefined && compareKeys(b, a) < 0) ? b : a;
  return lower === undefined || (c !== undefined && compareKeys(c, lower) < 0) ? c : lower;
}

const isSame = (a: PrefixKey, b: PrefixKey): boolean => a === b || (typeof a !== 'number' && compareKeys(a, b) === 0);

/** Track of a cursor's row while it is at this key. */
const trackAt = (row: SpellRow | EventRow | MemoryRow | undefined, key: PrefixKey): number =>
  row !== undefined && isSame(row[0], key) ? row[1] : Number.POSITIVE_INFINITY;

const NO_SPELLS = { open: undefined, over: undefined };

/** Spells of one track, which come oldest first: what is over, and since when one is open. */
function takeSpells(
  cursor: Cursor<SpellRow>,
  key: PrefixKey,
  track: number,
  { presence, runs }: Unit,
): { open: UnixMs | undefined; over: Captures | undefined } {
  if (trackAt(cursor.row, key) !== track) return NO_SPELLS;
  const closed: Spell[] = [];
  let open: UnixMs | undefined;
  for (; trackAt(cursor.row, key) === track; cursor.next()) {
    const [, , firstAt, lastAt] = cursor.row!;
    if (lastAt === null) open = unixMs(firstAt);
    else closed.push({ firstAt: unixMs(firstAt), lastAt: unixMs(lastAt) });
  }
  if (presence) return NO_SPELLS;
  return { open, over: closed.length === 0 ? undefined : capturesOfSpells(closed, runs, Number.MAX_SAFE_INTEGER) };
}

/** Events come oldest first: each newer one moves the mask and sets its bit. */
function takeEvents(cursor: Cursor<EventRow>, key: PrefixKey, track: number, over: Captures | undefined): Captures | undefined {
  if (trackAt(cursor.row, key) !== track) return over;
  let capturedAt = cursor.row![2] as UnixMs;
  let days = 1;
  for (cursor.next(); trackAt(cursor.row, key) === track; cursor.next()) {
    const at = cursor.row![2] as UnixMs;
    days = uniteDays(at, 1, capturedAt, days);
    capturedAt = at;
  }
  return uniteCaptures(over, { capturedAt, days });
}

function takeMemory(cursor: Cursor<MemoryRow>, key: PrefixKey, track: number, over: Captures | undefined): Captures | undefined {
  if (trackAt(cursor.row, key) !== track) return over;
  const [, , , lastAt] = cursor.row!;
  cursor.next();
  return uniteCaptures(over, { capturedAt: unixMs(lastAt), days: 1 });
}
