import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Sql, SqlValue } from '../sql.ts';

/** Prepared statements by their text, made once; rows come as arrays. */
export class Statements implements Sql {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    // As shared statements name tables and values (../sql.ts).
    const made = this.#database.prepare(sql.replaceAll('evidence_', '').replaceAll(/\$(\d)/g, '?$1'));
    made.setReturnArrays(true);
    this.#prepared.set(sql, made);
    return made;
  }

  query<Row extends readonly unknown[]>(text: string, values: readonly SqlValue[] = []): readonly Row[] {
    const bound = values.map((value): SQLInputValue => (typeof value === 'boolean' ? Number(value) : value));
    return this.get(text).all(...bound) as unknown as readonly Row[];
  }
}

/** A row of numbers, as statements with arrays return it; empty when there is no row. */
export const numbers = (row: unknown): readonly number[] => (row as readonly number[] | undefined) ?? [];
