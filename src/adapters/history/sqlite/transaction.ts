import type { SQLInputValue } from 'node:sqlite';
import type { UnixMs } from '../../../core/units.ts';
import type { PrefixKey } from '../prefix-key.ts';
import type { Catalogue } from '../read/catalogue.ts';
import { type EventPosition, MEMORY_ROWS, type SqlRow, type SqlValue, type Transaction, UNITE_MEMORY } from '../sql.ts';
import type { Statements } from './statements.ts';

export class SqliteTransaction implements Transaction {
  readonly statements: Statements;
  readonly catalogue: Catalogue;

  constructor(statements: Statements, catalogue: Catalogue) {
    this.statements = statements;
    this.catalogue = catalogue;
  }

  query<Row extends readonly unknown[]>(text: string, values?: SqlRow): readonly Row[] {
    return this.statements.query(text, values);
  }

  keyIn = (key: PrefixKey = -1): SqlValue => key;

  keyOf = (value: unknown): PrefixKey => value as PrefixKey;

  each<Row extends readonly unknown[]>(text: string, rows: readonly SqlRow[]): readonly (readonly Row[])[] {
    return rows.map((row) => this.statements.query<Row>(text, row));
  }

  insert(into: string, rows: Iterable<SqlRow>, conflict?: string): void {
    const insert = this.#insert(into, conflict);
    for (const row of rows) insert(row);
  }

  insertEvents(rows: readonly SqlRow[]): readonly SqlRow[] {
    const insert = this.#insert('evidence_events (prefix, track, at)');
    return rows.filter((row) => insert(row) > 0);
  }

  withRows(statement: string, columns: readonly string[], rows: readonly SqlRow[]): void {
    const where = columns.map((column, i) => `${column} = $${i + 1}`).join(' and ');
    for (const row of rows) this.statements.run(`${statement} where ${where}`, row);
  }

  /** The table is stored in prefix order, so a slice moves the old events among the next `rows` rows. */
  moveEvents(after: EventPosition, horizon: UnixMs, rows: number): { moved: number; after: EventPosition } {
    const from = after ?? this.keyIn();
    const [last] = this.query<[SqlValue]>(
      'select prefix from evidence_events where prefix > $1 order by prefix limit 1 offset $2',
      [from, rows - 1],
    );
    const old = `at < $1 and prefix > $2${last === undefined ? '' : ' and prefix <= $3'}`;
    const bounds = [horizon, from, ...(last ?? [])];
    this.statements.run(
      `insert into ${MEMORY_ROWS} select prefix, track, min(at), max(at) from evidence_events where ${old} group by prefix, track ${UNITE_MEMORY}`,
      bounds,
    );
    return { moved: this.statements.run(`delete from evidence_events where ${old}`, bounds), after: last?.[0] };
  }

  #insert(into: string, conflict = 'on conflict do nothing'): (row: SqlRow) => number {
    const values = into.split(',').map((_, i) => `$${i + 1}`);
    const statement = this.statements.get(`insert into ${into} values (${values.join(', ')}) ${conflict}`);
    return (row) => Number(statement.run(...(row as readonly SQLInputValue[])).changes);
  }
}
