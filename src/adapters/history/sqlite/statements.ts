import type { DatabaseSync, StatementSync } from 'node:sqlite';

/** Prepared statements by their text, made once; rows come as arrays. */
export class Statements {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    const made = this.#database.prepare(sql);
    made.setReturnArrays(true);
    this.#prepared.set(sql, made);
    return made;
  }
}

/** A row of numbers, as statements with arrays return it; empty when there is no row. */
export const numbers = (row: unknown): readonly number[] => (row as readonly number[] | undefined) ?? [];
