import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Sql, SqlRow } from '../sql.ts';

export class Statements implements Sql {
  readonly #database: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  get(sql: string): StatementSync {
    const known = this.#prepared.get(sql);
    if (known !== undefined) return known;
    // Shared statements use the table names and placeholders of PostgreSQL (../sql.ts).
    const made = this.#database.prepare(sql.replaceAll('evidence_', '').replaceAll(/\$(\d)/g, '?$1'));
    made.setReturnArrays(true);
    this.#prepared.set(sql, made);
    return made;
  }

  query<Row extends readonly unknown[]>(text: string, values: SqlRow = []): readonly Row[] {
    return this.get(text).all(...values.map(bound)) as unknown as readonly Row[];
  }

  run(text: string, values: SqlRow): number {
    return Number(this.get(text).run(...values.map(bound)).changes);
  }
}

const bound = (value: SqlRow[number]): SQLInputValue => (typeof value === 'boolean' ? Number(value) : value);

export const numbers = (row: unknown): readonly number[] => (row as readonly number[] | undefined) ?? [];
