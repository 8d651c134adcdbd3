import { type Input, openInput } from '../../adapters/log-files/open-input.ts';
import { addressColumn } from '../../adapters/parquet/address-column.ts';
import { isParquet } from '../../adapters/parquet/is-parquet.ts';
import { ParquetFile } from '../../adapters/parquet/parquet-file.ts';
import { parquetLines, type TextColumn, textColumns } from '../../adapters/parquet/parquet-lines.ts';
import { rankOf, TIME_NAMES } from '../../core/logs/address-names.ts';
import type { LayoutWishes } from '../../core/logs/detect-layout.ts';

/** Lines of a file, or of the rows of a Parquet file. */
export interface Records extends Input {
  readonly isParquet: boolean;
  /** Those of the caller, or what the lines are that rows became. */
  readonly wishes: LayoutWishes;
}

export interface RecordsOrder {
  readonly wishes: LayoutWishes;
  /** What the rows of a Parquet file become: lines with all of their columns, or objects with what a summary needs. */
  readonly form: 'csv' | 'ndjson' | 'address_and_time';
  readonly signal: AbortSignal;
}

/**
 * Opens a file of lines, or a Parquet file whose rows become lines.
 * @throws Error of the file system, or that names what of a Parquet file cannot be text
 */
export async function openRecords(path: string, { wishes, form, signal }: RecordsOrder): Promise<Records> {
  if (!(await isParquet(path))) return { ...(await openInput(path, signal)), isParquet: false, wishes };
  checkWishes(wishes);
  const file = await ParquetFile.open(path, signal);
  try {
    const field = await addressColumn(file, wishes.field);
    const columns = form === 'address_and_time' ? neededColumns(file, field) : allColumns(file);
    const format = form === 'csv' ? 'csv' : 'ndjson';
    let rows = 0;
    const onRows = (count: number): void => {
      rows = count;
    };
    return {
      chunks: closing(file, parquetLines(file, columns, format, onRows)),
      size: file.size,
      position: () => (file.size * rows) / Math.max(1, file.rows),
      isParquet: true,
      wishes: format === 'csv' ? { format, field } : { format, path: [field] },
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** @throws Error for a format that is one of lines */
export function checkWishes({ format }: LayoutWishes): void {
  if (format !== undefined) throw new Error('a Parquet file has its own format: leave --format out');
}

function allColumns(file: ParquetFile): readonly TextColumn[] {
  const { texts, others } = textColumns(file);
  if (others.length > 0)
    throw new Error(
      `the column ${JSON.stringify(others[0])} is of a type that cannot be written as text; --output same keeps it as it is`,
    );
  return texts;
}

function neededColumns(file: ParquetFile, address: string): readonly TextColumn[] {
  const { texts } = textColumns(file);
  const needed = texts.filter(({ name, kind }) => name === address || kind === 'time' || rankOf(TIME_NAMES, name) >= 0);
  return needed.some(({ name }) => name === address)
    ? needed
    : [{ name: address, kind: 'text', textOf: String }, ...needed];
}

async function* closing(file: ParquetFile, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks;
  } finally {
    await file.close();
  }
}
