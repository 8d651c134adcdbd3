import { csvCell } from '../csv/csv-cell.ts';
import { splitRow } from '../csv/split-row.ts';
import type { FieldPath } from '../fields/field-path.ts';
import type { LineFormat } from '../logs/line-format.ts';
import { isTable, type LineLayout } from '../logs/line-layout.ts';
import { printable } from '../texts/printable.ts';

/** Form of enriched records: that of the file, or a form that other software reads. */
export const OUTPUT_FORMS = ['same', 'ndjson', 'csv'] as const;
export type OutputForm = (typeof OUTPUT_FORMS)[number];

/** How records are written in another form than their own. */
export interface Conversion {
  readonly format: Extract<LineFormat, 'ndjson' | 'csv'>;
  /** Output of a record, without the fields. */
  head(record: string): string;
  /** Its end, behind the fields. */
  readonly tail: string;
  /** Names of the columns that stand before the fields; undefined: the form has none. */
  readonly columns: readonly string[] | undefined;
}

/** The name of a record that has no cells. */
const LINE = 'line';
const COMMA = ',';

/** The format of the output. */
export const outputFormat = ({ format }: Pick<LineLayout, 'format'>, form: OutputForm): LineFormat =>
  form === 'same' ? format : form;

/** How records of a layout become records of another form; undefined: they stay as they are. */
export function conversionOf(layout: LineLayout, form: OutputForm): Conversion | undefined {
  if (form === 'same' || form === layout.format) return undefined;
  const cellsOf = isTable(layout)
    ? (record: string) => splitRow(record, String.fromCharCode(layout.separator))
    : (record: string) => [record];
  const columns = isTable(layout) ? layout.header : [LINE];
  if (form === 'csv') return { format: 'csv', head: (record) => rowOf(cellsOf(record)), tail: '', columns };
  return { format: 'ndjson', head: (record) => membersOf(cellsOf(record), columns), tail: '}', columns: undefined };
}

/** The header of a table of these columns and fields. */
export const headerOf = (columns: readonly string[], fields: readonly FieldPath[]): string =>
  rowOf([...columns, ...fields]);

const rowOf = (cells: readonly string[]): string => cells.map((cell) => csvCell(cell)).join(COMMA);

/** An object that is not closed. Columns without a name are numbered from 1. */
const membersOf = (cells: readonly string[], columns: readonly string[] | undefined): string =>
  printable(JSON.stringify(Object.fromEntries(cells.map((cell, i) => [columns?.[i] ?? `column${i + 1}`, cell])))).slice(
    0,
    -1,
  );
