import type { UnixMs } from '../../core/units.ts';
import type { PrefixKey } from './prefix-key.ts';
import type { Catalogue } from './read/catalogue.ts';

export type Way = 'now' | 'later';
export type Reply<W extends Way, T> = W extends 'now' ? T : Promise<T>;
type Maybe<T> = T | Promise<T>;

/** Work written once for both: it yields questions and receives their answers. */
export type Steps<T> = Generator<unknown, T, unknown>;

export function* wait<T>(answer: Maybe<T>): Steps<T> {
  return (yield answer) as T;
}

export function runSync<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next(step.value);
  return step.value;
}

export async function runAsync<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) step = steps.next(await step.value);
  return step.value;
}

export type SqlValue = string | number | boolean | null | Uint8Array;

/**
 * Runs statements that both databases understand, with the table names of PostgreSQL and numbered
 * placeholders (`$1`). Rows are arrays; booleans may be 0 and 1.
 */
export interface Sql {
  query<Row extends readonly unknown[]>(text: string, values?: readonly SqlValue[]): Maybe<readonly Row[]>;
}

export interface OpenBatch {
  readonly sequence: number;
  readonly acceptedAt: UnixMs;
}

export type SqlRow = readonly SqlValue[];

export type EventPosition = SqlValue | undefined;

/**
 * A transaction with the small tables as of its state. Many rows are written one by one in SQLite, and as
 * arrays in one statement in PostgreSQL.
 */
export interface Transaction extends Sql {
  /** Private to this transaction while it writes. Run calendars are shared and must not be changed in place. */
  readonly catalogue: Catalogue;
  /** Without a prefix, returns a value that sorts before all prefixes. */
  keyIn(key?: PrefixKey): SqlValue;
  keyOf(value: unknown): PrefixKey;
  each<Row extends readonly unknown[]>(text: string, rows: readonly SqlRow[]): Maybe<readonly (readonly Row[])[]>;
  /** @param into table and columns @param conflict SQL clause; by default existing rows stay as they are */
  insert(into: string, rows: Iterable<SqlRow>, conflict?: string): Maybe<void>;
  /** @param rows prefix, series and time @returns the rows that were new */
  insertEvents(rows: readonly SqlRow[]): Maybe<readonly SqlRow[]>;
  /** Applies a statement to the rows whose columns have these values. @param statement without its condition */
  withRows(statement: string, columns: readonly string[], rows: readonly SqlRow[]): Maybe<void>;
  /**
   * Moves the next events before the horizon into memory. @param rows the most rows to examine or move
   * @returns how many were moved; `after` is undefined at the end
   */
  moveEvents(
    after: EventPosition,
    horizon: UnixMs,
    rows: number,
  ): Maybe<{ readonly moved: number; readonly after: EventPosition }>;
}

/** `UNITE_MEMORY` extends the first and last capture held there. */
export const MEMORY_ROWS = 'evidence_memory (prefix, track, first_at, last_at)';
export const UNITE_MEMORY = `on conflict (prefix, track) do update set
  first_at = case when excluded.first_at < evidence_memory.first_at then excluded.first_at else evidence_memory.first_at end,
  last_at = case when excluded.last_at > evidence_memory.last_at then excluded.last_at else evidence_memory.last_at end`;
