import type { UnixMs } from '../../core/units.ts';
import type { PrefixKey } from './prefix-key.ts';
import type { Catalogue } from './read/catalogue.ts';

/** SQLite answers at once, PostgreSQL later. */
export type Way = 'now' | 'later';
export type Reply<W extends Way, T> = W extends 'now' ? T : Promise<T>;
type Maybe<T> = T | Promise<T>;

/** Work written once for both: it yields its questions and gets the answers back. */
export type Steps<T> = Generator<unknown, T, unknown>;

export function* wait<T>(answer: Maybe<T>): Steps<T> {
  return (yield answer) as T;
}

export function runNow<T>(steps: Steps<T>): T {
  let step = steps.next();
  while (!step.done) step = steps.next(step.value);
  return step.value;
}

export async function runLater<T>(steps: Steps<T>): Promise<T> {
  let step = steps.next();
  while (!step.done) step = steps.next(await step.value);
  return step.value;
}

export type SqlValue = string | number | boolean | null | Uint8Array;

/** Statements that both databases understand, with the tables' names in PostgreSQL and numbered placeholders (`$1`). Rows come as arrays; booleans may be 0 and 1. */
export interface Sql {
  query<Row extends readonly unknown[]>(text: string, values?: readonly SqlValue[]): Maybe<readonly Row[]>;
}

/** A batch that was begun. */
export interface BegunBatch {
  readonly sequence: number;
  readonly acceptedAt: UnixMs;
}

/** A row of values. Those of one column are of one type. */
export type SqlRow = readonly SqlValue[];

/** Where the events begin whose turn is next; undefined: at the first. */
export type EventPosition = SqlValue | undefined;

/** One transaction with the small tables as they stand in it. Many rows at once go one by one in SQLite, and as arrays over the network to PostgreSQL. */
export interface Transaction extends Sql {
  /** Of this transaction alone while it writes. Run calendars are shared with others and not changed. */
  readonly catalogue: Catalogue;
  /** A prefix as the database has it; without one, a value before all of them. */
  keyIn(key?: PrefixKey): SqlValue;
  keyOf(value: unknown): PrefixKey;
  /** The answers to one question about each row of values, in the order of the rows. */
  each<Row extends readonly unknown[]>(text: string, rows: readonly SqlRow[]): Maybe<readonly (readonly Row[])[]>;
  /** @param into table and columns @param conflict as in SQL; left out: rows that are there stay as they are */
  insert(into: string, rows: Iterable<SqlRow>, conflict?: string): Maybe<void>;
  /** @param rows prefix, series and time @returns those that were not there */
  insertEvents(rows: readonly SqlRow[]): Maybe<readonly SqlRow[]>;
  /** Does something to the rows whose columns have these values. @param statement without its condition */
  withRows(statement: string, columns: readonly string[], rows: readonly SqlRow[]): Maybe<void>;
  /** Moves the next events before the horizon into memory. @param rows that are looked at or moved at most @returns how many were moved; `after` is undefined at the end */
  moveEvents(
    after: EventPosition,
    horizon: UnixMs,
    rows: number,
  ): Maybe<{ readonly moved: number; readonly after: EventPosition }>;
}

/** Rows of memory; `UNITE_MEMORY` unites them with the first and last capture held there. */
export const MEMORY_ROWS = 'evidence_memory (prefix, track, first_at, last_at)';
export const UNITE_MEMORY = `on conflict (prefix, track) do update set
  first_at = case when excluded.first_at < evidence_memory.first_at then excluded.first_at else evidence_memory.first_at end,
  last_at = case when excluded.last_at > evidence_memory.last_at then excluded.last_at else evidence_memory.last_at end`;
