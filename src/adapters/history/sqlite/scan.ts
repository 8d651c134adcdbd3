import type { SQLInputValue, StatementSync } from 'node:sqlite';
import type { UnixMs } from '../../../core/units.ts';
import type { EvidenceColumns } from '../../../engine/evidence/evidence-delta.ts';
import type { RowNames } from '../../../engine/evidence/row-names.ts';
import type { Catalogue } from '../read/catalogue.ts';
import { type ScanCursor, type ScanRecord, scanColumns } from '../read/scan-columns.ts';
import { RECORD } from '../read/series-fold.ts';
import type { Statements } from './statements.ts';

/**
 * Rows fetched per call. One call per row costs nearly twice as much, and larger pages survive long enough
 * for the garbage collector to copy them.
 */
const PAGE_ROWS = 1024;

class Cursor implements ScanCursor {
  readonly kind: number;
  readonly #statement: StatementSync;
  readonly #keyColumns: number;
  page: readonly ScanRecord[] = [];
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
    this.page = this.#statement.all(...after) as unknown as readonly ScanRecord[];
    this.at = 0;
  }
}

/**
 * Yields all rows of now or of `at` in chunks. Must run in a read transaction with a current catalogue.
 */
export function* scanTables(
  statements: Statements,
  catalogue: Catalogue,
  names: RowNames,
  at?: UnixMs,
): Generator<EvidenceColumns> {
  const cursors = [
    new Cursor(statements, RECORD.presence, 'spells', ['prefix', 'track', 'first_at'], ['last_at']),
    new Cursor(statements, RECORD.event, 'events', ['prefix', 'track', 'at'], []),
    new Cursor(statements, RECORD.firstLast, 'memory', ['prefix', 'track'], ['first_at', 'last_at']),
  ];
  if (at !== undefined)
    cursors.push(new Cursor(statements, RECORD.withdrawn, 'withdrawn', ['prefix', 'track', 'at'], ['made_at']));
  for (const step of scanColumns(cursors, catalogue, names, at)) {
    if (step instanceof Cursor) step.turn();
    else yield step;
  }
}
