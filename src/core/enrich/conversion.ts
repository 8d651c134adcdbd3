import { csvCell } from '../csv/csv-cell.ts';
import { splitRow } from '../csv/split-row.ts';
import type { LineFormat } from '../logs/line-format.ts';
import { isTable, type LineLayout } from '../logs/line-layout.ts';
import { printable } from '../texts/printable.ts';

/** `same` keeps the form of the file; the others are for other software. */
export const OUTPUT_FORMS = ['same', 'ndjson', 'csv'] as const;
export type OutputForm = (typeof OUTPUT_FORMS)[number];

/**
 * Writes records in another form than their own: `head`, the fields, then `tail`. `columns` stand before the
 * fields; undefined where the form has no columns.
 */
export interface Conversion {
  readonly format: Extract<LineFormat, 'ndjson' | 'csv'>;
  head(record: string): string;
  readonly tail: string;
  readonly columns: readonly string[] | undefined;
}

const LINE = 'line';
const COMMA = ',';

export const outputFormat = ({ format }: Pick<LineLayout, 'format'>, form: OutputForm): LineFormat =>
  form === 'same' ? format : form;

export function conversionOf(layout: LineLayout, form: OutputForm): Conversion | undefined {
  if (form === 'same' || form === layout.format) return undefined;
  const cellsOf = isTable(layout)
    ? (record: string) => splitRow(record, String.fromCharCode(layout.separator))
    : (record: string) => [record];
  const columns = isTable(layout) ? layout.header : [LINE];
  if (form === 'csv') return { format: 'csv', head: (record) => rowOf(cellsOf(record)), tail: '', columns };
  return { format: 'ndjson', head: (record) => membersOf(cellsOf(record), columns), tail: '}', columns: undefined };
}

export const headerOf = (columns: readonly string[], fields: readonly string[]): string =>
  rowOf([...columns, ...namesBeside(columns, fields)]);

/** Names of columns that are added to a table: none is there twice, because many readers keep one of two. */
export function namesBeside(columns: readonly string[], added: readonly string[]): readonly string[] {
  const taken = new Set(columns.map((name) => name.trim().toLowerCase()));
  const free = (name: string): string => (taken.has(name) ? free(`pulse.${name}`) : name);
  return added.map(free);
}

const rowOf = (cells: readonly string[]): string => cells.map((cell) => csvCell(cell)).join(COMMA);

/** Writes an object without its closing brace. Columns without a name are numbered from 1. */
const membersOf = (cells: readonly string[], columns: readonly string[] | undefined): string =>
  printable(JSON.stringify(Object.fromEntries(cells.map((cell, i) => [columns?.[i] ?? `column${i + 1}`, cell])))).slice(
    0,
    -1,
  );
