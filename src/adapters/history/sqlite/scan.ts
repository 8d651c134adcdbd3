import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type { EvidenceColumns } from '../../../engine/evidence/evidence-delta.ts';
import type { RowNames } from '../../../engine/evidence/row-names.ts';
import type { Catalogue } from '../read/catalogue.ts';
import { type ScanCursor, type ScannedRecord, scanColumns } from '../read/scan-columns.ts';
import { RECORD } from '../read/series-fold.ts';
import type { Statements } from './statements.ts';

/** Rows fetched at once: a call for each row costs nearly twice as much, and longer pages live long enough to be copied by collections of garbage. */
const PAGE_ROWS = 1024;

/** Pages of one table in the order of its primary key, which is the first columns of the row. */
class Cursor implements ScanCursor {
  readonly kind: number;
  readonly #statement: StatementSync;
  readonly #keyColumns: number;
  page: readonly ScannedRecord[] = [];
  at = 0;

  constructor(statements: Statements, kind: number, table: string, key: readonly string[], more: readonly string[]) {
    const columns = key.join(', ');
    const after = key.map(() => '?').join(', ');
    this.kind = kind;
    this.#statement = statements.get(
      `select ${[...key, ...more].join(', ')} from ${table} where (${columns}) > (${after}) order by ${columns} limit ${PAGE_ROWS}`,
    );
    this.#keyColumns = key.length;
    this.#fetch([-1, ...key.slice(1).map(() => 0)]);
  }

  turn(): void {
    this.#fetch(this.page[this.page.length - 1]!.slice(0, this.#keyColumns) as SQLInputValue[]);
  }

  #fetch(after: readonly SQLInputValue[]): void {
    this.page = this.#statement.all(...after) as unknown as readonly ScannedRecord[];
    this.at = 0;
  }
}

/** Everything that is known now, in chunks. Inside a read transaction, after `catalogue.refresh()`. */
export function* scanTables(statements: Statements, catalogue: Catalogue, names: RowNames): Generator<EvidenceColumns> {
  const cursors = [
    new Cursor(statements, RECORD.presence, 'spells', ['prefix', 'track', 'first_at'], ['last_at']),
    new Cursor(statements, RECORD.event, 'events', ['prefix', 'track', 'at'], []),
    new Cursor(statements, RECORD.firstLast, 'memory', ['prefix', 'track'], ['first_at', 'last_at']),
  ];
  for (const step of scanColumns(cursors, catalogue, names)) {
    if (step instanceof Cursor) step.turn();
    else yield step;
  }
}
