import { csvCell } from '../../core/csv/csv-cell.ts';
import { detectLayout } from '../../core/logs/detect-layout.ts';
import type { ParquetFile } from './parquet-file.ts';

/** Rows that are looked at. */
const ROWS = 1000;

/**
 * The name of the column with the addresses: found as in a table, or the one that is wished for by name or number.
 * @throws Error that says what is not clear
 */
export async function addressColumn(file: ParquetFile, field: string | undefined): Promise<string> {
  const isText = file.columns.map(
    ({ element, isFlat }) => isFlat && element.type === 'BYTE_ARRAY' && element.converted_type !== 'DECIMAL',
  );
  const names = file.columns.map(({ element }) => element.name);
  const texts = names.filter((_, i) => isText[i]);
  // A column that is named needs no look at what is in it.
  const end = field === undefined ? Math.min(ROWS, file.rows) : 0;
  const values = texts.length === 0 || end === 0 ? [] : await file.read(texts, { start: 0, end });
  const cellsAt = (row: number) =>
    names.map((name, i) => (isText[i] ? cellOf(values[texts.indexOf(name)]?.[row]) : ''));
  const rows = [names.map(cellOf), ...Array.from({ length: end }, (_, row) => cellsAt(row))];
  const layout = detectLayout(Buffer.from(rows.map((cells) => cells.join(',')).join('\n')), { format: 'csv', field });
  if (typeof layout === 'string') throw new Error(layout);
  const at = layout.address as number;
  if (isText[at] !== true)
    throw new Error(`the column ${JSON.stringify(names[at] ?? field)} is not text with one value a row`);
  return names[at]!;
}

/** On one line, whatever is in it. */
const cellOf = (value: unknown): string => csvCell(value == null ? '' : String(value).replace(/[\r\n]/g, ' '));
