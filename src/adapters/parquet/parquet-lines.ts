import { csvCell } from '../../core/csv/csv-cell.ts';
import type { ParquetFile, RowRange } from './parquet-file.ts';
import { type ValueText, valueText } from './value-text.ts';

/** A column whose values can be written as text. */
export interface TextColumn extends ValueText {
  readonly name: string;
}

/** Rows that become text together. */
const ROWS = 10_000;

/** The columns of a file that can be written as text, and the names of those that cannot. */
export function textColumns({ columns }: Pick<ParquetFile, 'columns'>): {
  readonly texts: readonly TextColumn[];
  readonly others: readonly string[];
} {
  const all = columns.map(({ element, isFlat }) => ({
    name: element.name,
    text: isFlat ? valueText(element) : undefined,
  }));
  return {
    texts: all.flatMap(({ name, text }) => (text === undefined ? [] : [{ name, ...text }])),
    others: all.filter(({ text }) => text === undefined).map(({ name }) => name),
  };
}

/** Rows as lines of CSV with a header, or of NDJSON. @param onRows hears how many were read */
export async function* parquetLines(
  file: ParquetFile,
  columns: readonly TextColumn[],
  form: 'csv' | 'ndjson',
  onRows: (rows: number) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const names = columns.map(({ name }) => name);
  if (form === 'csv') yield Buffer.from(`${rowOf(names.map((name) => csvCell(name)))}\n`);
  for (const range of file.groups()) {
    const values = await file.read(names, range);
    for (let from = 0; from < range.end - range.start; from += ROWS) {
      const rows = { start: from, end: Math.min(from + ROWS, range.end - range.start) };
      yield Buffer.from(form === 'csv' ? csvRows(columns, values, rows) : objects(columns, values, rows));
      onRows(range.start + rows.end);
    }
  }
}

/** A row of one empty cell would be an empty line, which is not a row. */
const rowOf = (cells: readonly string[]): string => (cells.length === 1 && cells[0] === '' ? '""' : cells.join(','));

function csvRows(
  columns: readonly TextColumn[],
  values: readonly (readonly unknown[])[],
  { start, end }: RowRange,
): string {
  const cellOf = ({ kind, textOf }: TextColumn, value: unknown): string =>
    value == null ? '' : kind === 'text' ? csvCell(textOf(value)) : textOf(value);
  let text = '';
  for (let row = start; row < end; row++)
    text += `${rowOf(columns.map((column, i) => cellOf(column, values[i]![row])))}\n`;
  return text;
}

function objects(
  columns: readonly TextColumn[],
  values: readonly (readonly unknown[])[],
  { start, end }: RowRange,
): string {
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  let text = '';
  for (let row = start; row < end; row++)
    text += `{${columns.map((column, i) => keys[i]! + jsonOf(column, values[i]![row])).join(',')}}\n`;
  return text;
}

/** Numbers keep all their digits; those that JSON does not have are text. */
function jsonOf({ kind, textOf }: TextColumn, value: unknown): string {
  if (value == null) return 'null';
  if (kind === 'text' || kind === 'time') return JSON.stringify(textOf(value));
  return typeof value === 'number' && !Number.isFinite(value) ? JSON.stringify(String(value)) : textOf(value);
}
