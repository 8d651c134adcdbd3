import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  asyncBufferFromFile,
  type Compressors,
  type FileMetaData,
  type ParquetParsers,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type SchemaElement,
} from 'hyparquet';
import { csvCell } from '../../core/csv/csv-cell.ts';

/** Rows that become text together. */
const ROWS = 10_000;

/**
 * The rows of a Parquet file as lines of CSV with a header, or of NDJSON. A damaged file can have the library loop or fill the memory: it belongs in a process that
 * can be ended (parquet-process.ts).
 * @throws Error of the file system, or for a file that is damaged or packed in a way that is not known
 */
export async function* parquetLines(path: string, form: 'csv' | 'ndjson'): AsyncGenerator<string> {
  const file = await asyncBufferFromFile(path);
  const metadata = await parquetMetadataAsync(file, { geoparquet: false, parsers: PARSERS });
  const columns = parquetSchema(metadata).children.map(({ element }) => element);
  const lineOf = form === 'csv' ? csvRow : objectOf(columns);
  if (form === 'csv') yield csvRow(columns.map(({ name }) => name));
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    const rowEnd = rowStart + Number(group.num_rows);
    const values = rowEnd === rowStart ? [] : await valuesOf(file, columns, { metadata, rowStart, rowEnd });
    for (let from = 0; from < rowEnd - rowStart; from += ROWS) {
      let text = '';
      for (let row = from; row < Math.min(from + ROWS, rowEnd - rowStart); row++)
        text += lineOf(values.map((column) => column[row]));
      yield text;
    }
    rowStart = rowEnd;
  }
}

interface RowGroup {
  readonly metadata: FileMetaData;
  readonly rowStart: number;
  readonly rowEnd: number;
}

/** Values of the columns, in their order. */
async function valuesOf(
  file: AsyncBuffer,
  columns: readonly SchemaElement[],
  group: RowGroup,
): Promise<readonly (readonly unknown[])[]> {
  const values = new Map(columns.map(({ name }) => [name, [] as unknown[]]));
  await parquetRead({
    file,
    ...group,
    compressors: COMPRESSORS,
    parsers: PARSERS,
    onChunk: ({ columnName, columnData }) => {
      const into = values.get(columnName)!;
      for (const value of columnData) into.push(value);
    },
  });
  return columns.map((column) => {
    const read = values.get(column.name)!;
    if (read.length < group.rowEnd - group.rowStart)
      throw new Error(`the column ${JSON.stringify(column.name)} has fewer values than rows`);
    return isUnsigned64(column) ? read.map((value) => value && BigInt.asUintN(64, value as bigint)) : read;
  });
}

/** The library gives a large one as a negative number where the column has nulls. */
const isUnsigned64 = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  converted === 'UINT_64' || (logical?.type === 'INTEGER' && logical.bitWidth === 64 && !logical.isSigned);

function csvRow(values: readonly unknown[]): string {
  const row = values.map((value) => csvCell(cellOf(value)));
  // A row of one empty cell would be an empty line, which is not a row.
  return row.length === 1 && row[0] === '' ? '""\n' : `${row.join(',')}\n`;
}

function cellOf(value: unknown): string {
  if (value == null) return '';
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? hexOf(value) : jsonOf(value);
}

const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

function objectOf(columns: readonly SchemaElement[]): (values: readonly unknown[]) => string {
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  return (values) => `{${values.map((value, i) => keys[i] + jsonOf(value)).join(',')}}\n`;
}

/** Whole numbers keep all their digits. */
function jsonOf(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof Uint8Array) return JSON.stringify(hexOf(value));
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(',')}]`;
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([key, member]) => `${JSON.stringify(key)}:${jsonOf(member)}`)
      .join(',')}}`;
  return JSON.stringify(value ?? null);
}

/** RFC 3339 with all digits of the unit; a time out of its range stays a count. */
const timeOf =
  (digits: 3 | 6 | 9) =>
  (count: bigint): string => {
    const perSecond = 10n ** BigInt(digits);
    const fraction = BigInt.asUintN(64, ((count % perSecond) + perSecond) % perSecond);
    const date = new Date(Number((count - fraction) / perSecond) * 1000);
    if (Number.isNaN(date.getTime())) return String(count);
    return `${date.toISOString().slice(0, -5)}.${String(fraction).padStart(digits, '0')}Z`;
  };

const PARSERS: Partial<ParquetParsers> = {
  timestampFromMilliseconds: timeOf(3),
  timestampFromMicroseconds: timeOf(6),
  timestampFromNanoseconds: timeOf(9),
  dateFromDays: (days) => timeOf(3)(BigInt(days) * 86_400_000n).slice(0, -14),
  jsonFromBytes: (bytes) => Buffer.from(bytes).toString('utf8'),
};

/** A page that unpacks to more than its header says is refused before it fills the memory. */
const bound = (length: number) => ({ maxOutputLength: Math.max(1, length) });
const COMPRESSORS: Compressors = {
  GZIP: (input, length) => gunzipSync(input, bound(length)),
  ZSTD: (input, length) => zstdDecompressSync(input, bound(length)),
  BROTLI: (input, length) => brotliDecompressSync(input, bound(length)),
};
