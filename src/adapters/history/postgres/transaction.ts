import type { Pool, PoolClient } from 'pg';
import type { UnixMs } from '../../../core/units.ts';
import type { PrefixKey } from '../prefix-key.ts';
import type { Catalogue } from '../read/catalogue.ts';
import {
  type EventPosition,
  MEMORY_ROWS,
  type Sql,
  type SqlRow,
  type SqlValue,
  type Transaction,
  UNITE_MEMORY,
} from '../sql.ts';
import { bytesOfKey, keyOfBytes } from './prefix-hex.ts';
import { PARTITIONS } from './schema.ts';

const PAGE_ROWS = 20_000;

/**
 * Moves at most $2 events before the horizon $1 out of one partition. The index of times finds them, and their
 * places lead to them: a join by their keys would read the whole table for each slice.
 */
const moveEventsOf = (partition: number): string => `
with gone as (
  delete from evidence_events_p${partition}
  where ctid = any (array(select ctid from evidence_events_p${partition} where at < $1 limit $2)) returning prefix, track, at
), kept as (insert into ${MEMORY_ROWS} select prefix, track, min(at), max(at) from gone group by prefix, track ${UNITE_MEMORY})
select count(*) from gone`;

export class PostgresSql implements Sql {
  readonly #client: Pick<Pool | PoolClient, 'query'>;

  constructor(client: Pick<Pool | PoolClient, 'query'>) {
    this.#client = client;
  }

  async query<Row extends readonly unknown[]>(text: string, values: SqlRow = []): Promise<readonly Row[]> {
    const { rows } = await this.#client.query({ text, values: [...values], rowMode: 'array' });
    return rows as unknown as readonly Row[];
  }
}

export class PostgresTransaction extends PostgresSql implements Transaction {
  readonly client: PoolClient;
  readonly catalogue: Catalogue;

  constructor(client: PoolClient, catalogue: Catalogue) {
    super(client);
    this.client = client;
    this.catalogue = catalogue;
  }

  keyIn = (key?: PrefixKey): SqlValue => (key === undefined ? Buffer.alloc(0) : bytesOfKey(key));

  keyOf = (value: unknown): PrefixKey => keyOfBytes(value as Buffer);

  /** `offset 0` makes the planner look each row up along the index. */
  async each<Row extends readonly unknown[]>(
    text: string,
    rows: readonly SqlRow[],
  ): Promise<readonly (readonly Row[])[]> {
    const found: Row[][] = [];
    for (const page of pages(rows)) {
      const { types, values } = columnsOf(page);
      const first = found.length;
      for (let row = 0; row < page.length; row++) found.push([]);
      const names = types.map((_, i) => `v${i + 1}`).join(', ');
      const asked = `select n.number, q.* from unnest(${arrays(types)}) with ordinality n(${names}, number)
        join lateral (${text.replaceAll(/\$(\d)/g, 'n.v$1')} offset 0) q on true`;
      for (const [number, ...row] of await this.query<[number, ...unknown[]]>(asked, values))
        found[first + number - 1]!.push(row as unknown as Row);
    }
    return found;
  }

  async insert(into: string, rows: Iterable<SqlRow>, conflict?: string): Promise<void> {
    for (const page of pages(rows)) await this.#insert(into, page, conflict);
  }

  async insertEvents(rows: readonly SqlRow[]): Promise<readonly SqlRow[]> {
    const fresh: SqlRow[] = [];
    for (const page of pages(rows))
      fresh.push(
        ...(await this.#insert(
          'evidence_events (prefix, track, at)',
          page,
          'on conflict do nothing returning prefix, track, at',
        )),
      );
    return fresh;
  }

  async withRows(statement: string, columns: readonly string[], rows: readonly SqlRow[]): Promise<void> {
    for (const page of pages(rows)) {
      const { types, values } = columnsOf(page);
      await this.query(
        `${statement} where (${columns.join(', ')}) in (select * from unnest(${arrays(types)}))`,
        values,
      );
    }
  }

  async moveEvents(
    after: EventPosition,
    horizon: UnixMs,
    rows: number,
  ): Promise<{ moved: number; after: EventPosition }> {
    const partition = (after ?? 0) as number;
    const [count] = await this.query<[number]>(moveEventsOf(partition), [horizon, rows]);
    const moved = count![0];
    if (moved === rows) return { moved, after };
    return { moved, after: partition + 1 < PARTITIONS ? partition + 1 : undefined };
  }

  #insert(into: string, page: readonly SqlRow[], conflict = 'on conflict do nothing'): Promise<readonly SqlRow[]> {
    const { types, values } = columnsOf(page);
    return this.query<SqlRow>(`insert into ${into} select * from unnest(${arrays(types)}) n ${conflict}`, values);
  }
}

function* pages(rows: Iterable<SqlRow>): Generator<readonly SqlRow[]> {
  let page: SqlRow[] = [];
  for (const row of rows) {
    page.push(row);
    if (page.length < PAGE_ROWS) continue;
    yield page;
    page = [];
  }
  if (page.length > 0) yield page;
}

function columnsOf(page: readonly SqlRow[]): { readonly types: readonly string[]; readonly values: SqlRow } {
  const columns = page[0]!.map((_, i) => arrayOf(page.map((row) => row[i]!)));
  return { types: columns.map(({ type }) => type), values: columns.map(({ bytes }) => bytes) };
}

const arrays = (types: readonly string[]): string => types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');

const TYPES = { bytea: 17, bigint: 20, text: 25 } as const;
type ElementType = keyof typeof TYPES;
/**
 * Header: number of dimensions, flag for nulls, element type; then the length and lower bound of the one
 * dimension.
 */
const HEADER_BYTES = 20;
const NULL = -1;

/**
 * Encodes an array parameter in PostgreSQL's binary format (`array_recv` in its arrayfuncs.c). Neither side
 * prints or parses a text for each element, which is most of the cost of a small row.
 * @param values at least one; numbers are integers up to 2^53
 */
function arrayOf(values: readonly SqlValue[]): { readonly type: ElementType; readonly bytes: Buffer } {
  const first = values.find((value) => value !== null);
  if (typeof first === 'string') return { type: 'text', bytes: variable('text', values.map(textBytes)) };
  if (first instanceof Uint8Array) return { type: 'bytea', bytes: variable('bytea', values as Uint8Array[]) };
  return { type: 'bigint', bytes: bigints(values as (number | null)[]) };
}

const textBytes = (value: SqlValue): Uint8Array => Buffer.from(value as string);

function bigints(values: readonly (number | null)[]): Buffer {
  const bytes = begun('bigint', values.length, 12 * values.length);
  let at = HEADER_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(value === null ? NULL : 8, at);
    if (value === null) continue;
    at = bytes.writeInt32BE(Math.floor(value / 2 ** 32), at);
    at = bytes.writeUInt32BE(((value % 2 ** 32) + 2 ** 32) % 2 ** 32, at);
  }
  bytes.writeInt32BE(Number(values.includes(null)), 4);
  return bytes.subarray(0, at);
}

function variable(type: ElementType, values: readonly Uint8Array[]): Buffer {
  const bytes = begun(
    type,
    values.length,
    values.reduce((sum, { length }) => sum + 4 + length, 0),
  );
  let at = HEADER_BYTES;
  for (const value of values) {
    at = bytes.writeInt32BE(value.length, at);
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}

function begun(type: ElementType, length: number, size: number): Buffer {
  const bytes = Buffer.alloc(HEADER_BYTES + size);
  bytes.writeInt32BE(1, 0);
  bytes.writeInt32BE(TYPES[type], 8);
  bytes.writeInt32BE(length, 12);
  bytes.writeInt32BE(1, 16);
  return bytes;
}
