import type { PoolClient } from 'pg';
import type { LiveRow, SourceChange } from '../../../service/ports.ts';
import type { Catalogue } from './catalogue.ts';
import { type PrefixHex, prefixOfHex } from './prefix-hex.ts';
import { EVENT, type EvidenceRecord, MEMORY, PrefixRecords, SPELL } from './read-prefixes.ts';

const FETCH_ROWS = 20_000;

const CURSORS: readonly (readonly [kind: number, name: string, sql: string])[] = [
  [SPELL, 'evidence_scan_spells', `select encode(prefix, 'hex'), track, first_at, last_at from evidence_spells order by prefix, track, first_at`],
  [EVENT, 'evidence_scan_events', `select encode(prefix, 'hex'), track, at, null from evidence_events order by prefix, track, at`],
  [MEMORY, 'evidence_scan_memory', `select encode(prefix, 'hex'), track, first_at, last_at from evidence_memory order by prefix, track`],
];

type CursorRow = readonly [PrefixHex, number, number, number | null];

/** A cursor of the server in prefix order that shows its next row. */
class Cursor {
  readonly kind: number;
  readonly #client: PoolClient;
  readonly #fetch: string;
  #rows: readonly CursorRow[] = [];
  #next = 0;
  #done = false;

  constructor(client: PoolClient, kind: number, name: string) {
    this.#client = client;
    this.kind = kind;
    this.#fetch = `fetch ${FETCH_ROWS} from ${name}`;
  }

  get row(): CursorRow | undefined {
    return this.#rows[this.#next];
  }

  /** Whether rows must be fetched before `row` can be trusted. */
  get empty(): boolean {
    return this.#next === this.#rows.length && !this.#done;
  }

  next(): void {
    this.#next++;
  }

  async fill(): Promise<void> {
    const { rows } = await this.#client.query<CursorRow[]>({ text: this.#fetch, rowMode: 'array' });
    this.#rows = rows as unknown as CursorRow[];
    this.#next = 0;
    this.#done = rows.length < FETCH_ROWS;
  }
}

/** All rows of all prefixes in key order, in one pass over three tables at once. Inside a repeatable-read transaction. */
export async function* scanRows(client: PoolClient, catalogue: Catalogue): AsyncGenerator<LiveRow> {
  // Everything is read, so the plan that is quickest to the end is wanted, not the one that is quickest to its first row.
  await client.query(`set local cursor_tuple_fraction = 1; set local work_mem = '128MB'`);
  const cursors: Cursor[] = [];
  for (const [kind, name, sql] of CURSORS) {
    await client.query(`declare ${name} no scroll cursor for ${sql}`);
    cursors.push(new Cursor(client, kind, name));
  }
  const records = new PrefixRecords();
  for (;;) {
    let low: PrefixHex | undefined;
    for (const cursor of cursors) {
      if (cursor.empty) await cursor.fill();
      if (cursor.row !== undefined && (low === undefined || cursor.row[0] < low)) low = cursor.row[0];
    }
    if (low === undefined) return;
    records.clear();
    for (const cursor of cursors) {
      for (let row = cursor.row; row !== undefined && row[0] === low; row = cursor.row) {
        records.take(cursor.kind, row[1], row[2], row[3], Number.MAX_SAFE_INTEGER, true);
        cursor.next();
        if (cursor.empty) await cursor.fill();
      }
    }
    yield* records.liveRows(catalogue, low);
  }
}

const PAIRS = `with pairs as materialized (
  select distinct j.prefix, b.source from evidence_journal j join evidence_batches b using (sequence) where j.sequence > $1
)`;

/** Each pair is looked up by itself (`offset 0`), however large the tables are beside it; an event list comes as the newest of each day. */
const CHANGED_RECORDS = `${PAIRS}
select 0, encode(p.prefix, 'hex'), s.track, s.first_at, s.last_at, p.source
from pairs p cross join lateral (select * from evidence_spells s where s.prefix = p.prefix offset 0) s
join evidence_tracks t on t.id = s.track and t.source = p.source and not t.presence
union all
select 1, encode(p.prefix, 'hex'), e.track, e.at, null, p.source
from pairs p cross join lateral (select track, max(at) as at from evidence_events e where e.prefix = p.prefix group by track, e.at / 86400000) e
join evidence_tracks t on t.id = e.track and t.source = p.source
union all
select 2, encode(p.prefix, 'hex'), m.track, m.first_at, m.last_at, p.source
from pairs p cross join lateral (select * from evidence_memory m where m.prefix = p.prefix offset 0) m
join evidence_tracks t on t.id = m.track and t.source = p.source
order by 4`;

/**
 * What batches after `sequence` changed, pair by pair in prefix order. Inside a repeatable-read transaction.
 * @returns undefined when there are more than `limit` pairs, or the journal does not reach back
 */
export async function changesAfter(client: PoolClient, catalogue: Catalogue, sequence: number, limit: number): Promise<readonly SourceChange[] | undefined> {
  const missing = await client.query('select 1 from evidence_batches where sequence > $1 and not journalled limit 1', [sequence]);
  if (sequence > catalogue.position!.sequence || missing.rows.length > 0) return undefined;
  const pairs = await client.query<[PrefixHex, number][]>({
    text: `${PAIRS} select encode(prefix, 'hex'), source from pairs order by prefix, source limit $2`,
    values: [sequence, limit + 1],
    rowMode: 'array',
  });
  if (pairs.rows.length > limit) return undefined;
  const { rows } = await client.query({ text: CHANGED_RECORDS, values: [sequence], rowMode: 'array' });
  const byPair = new Map<string, PrefixRecords>();
  for (const [kind, prefix, track, at, lastAt, source] of rows as unknown as [...EvidenceRecord, number][]) {
    const key = `${prefix} ${source}`;
    let held = byPair.get(key);
    if (held === undefined) {
      held = new PrefixRecords();
      byPair.set(key, held);
    }
    held.take(kind, track, at, lastAt, Number.MAX_SAFE_INTEGER, true);
  }
  return (pairs.rows as unknown as [PrefixHex, number][]).map(([prefix, id]) => {
    const source = catalogue.sources.get(id)!;
    return { prefix: prefixOfHex(prefix), source: source.name, rows: byPair.get(`${prefix} ${id}`)?.liveRows(catalogue, prefix, source) ?? [] };
  });
}
