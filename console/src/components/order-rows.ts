import { csvLine } from '../../../src/core/csv/csv-cell.ts';

/** One column of a table. */
export interface Column<Row> {
  readonly name: string;
  /** The value in the order and in the file; a time is RFC 3339. Left out: it is in neither. */
  readonly value?: (row: Row) => string | number | undefined;
}

export interface Order {
  /** Place of the column. */
  readonly by: number;
  readonly descending: boolean;
}

/**
 * A copy of the rows in order. Numbers inside texts count as numbers, as those of addresses; rows without a
 * value come last either way, and equal ones keep their places.
 */
export function orderRows<Row>(
  rows: readonly Row[],
  columns: readonly Column<Row>[],
  { by, descending }: Order,
): Row[] {
  const value = columns[by]?.value ?? (() => undefined);
  const { compare } = new Intl.Collator(undefined, { numeric: true });
  const keyed = rows.map((row) => ({ row, key: value(row) }));
  keyed.sort(({ key: one }, { key: other }) => {
    if (one === undefined || other === undefined) return Number(one === undefined) - Number(other === undefined);
    const order = typeof one === 'number' && typeof other === 'number' ? one - other : compare(`${one}`, `${other}`);
    return descending ? -order : order;
  });
  return keyed.map(({ row }) => row);
}

/** The rows as a CSV file, with the columns that have values. */
export function csvOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const valued = columns.filter(({ value }) => value !== undefined);
  const lines = rows.map((row) => csvLine(valued.map(({ value }) => `${value!(row) ?? ''}`)));
  return csvLine(valued.map(({ name }) => name)) + lines.join('');
}
