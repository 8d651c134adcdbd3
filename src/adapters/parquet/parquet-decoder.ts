import { type FileHandle, open } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  type AsyncBuffer,
  type Compressors,
  type DecodedArray,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
} from 'hyparquet';
import type { ParquetColumn, RowRange } from './parquet-file.ts';

/** Values as the file has them: times as counts of their unit, JSON as text. */
const PARSERS = {
  timestampFromMilliseconds: (count: bigint) => count,
  timestampFromMicroseconds: (count: bigint) => count,
  timestampFromNanoseconds: (count: bigint) => count,
  dateFromDays: (days: number) => days,
  jsonFromBytes: (bytes: Uint8Array) => Buffer.from(bytes).toString('utf8'),
};
/** A page that unpacks to more than its header says is refused before it fills the memory. */
const bound = (length: number) => ({ maxOutputLength: Math.max(1, length) });
const COMPRESSORS: Compressors = {
  GZIP: (input, length) => gunzipSync(input, bound(length)),
  ZSTD: (input, length) => zstdDecompressSync(input, bound(length)),
  BROTLI: (input, length) => brotliDecompressSync(input, bound(length)),
};

/** Rows of one group, and row groups, that are read: what a footer says costs nothing to say. */
const GROUP_ROWS_MAX = 50_000_000;
const GROUPS_MAX = 1_000_000;

/**
 * Reads a Parquet file column by column of a row group, by the library. A damaged file can have it loop or fill the memory: it belongs in a thread that can be
 * ended (parquet-worker.ts).
 */
export class ParquetDecoder {
  readonly metadata: FileMetaData;
  readonly columns: readonly ParquetColumn[];
  readonly #handle: FileHandle;
  readonly #buffer: AsyncBuffer;

  private constructor(handle: FileHandle, buffer: AsyncBuffer, metadata: FileMetaData) {
    this.#handle = handle;
    this.#buffer = buffer;
    this.metadata = metadata;
    this.columns = parquetSchema(metadata).children.map(({ element, children }) => ({
      element,
      isFlat: children.length === 0 && element.repetition_type !== 'REPEATED',
    }));
  }

  /** @throws Error of the file system, or for a file that is not Parquet or whose footer is damaged */
  static async open(path: string): Promise<ParquetDecoder> {
    const handle = await open(path, 'r');
    try {
      const buffer = bufferOf(handle, (await handle.stat()).size);
      if (buffer.byteLength < SMALLEST_BYTES) throw new Error('the file is too short');
      const metadata = await parquetMetadataAsync(buffer, { geoparquet: false, parsers: PARSERS });
      checkRows(metadata);
      return new ParquetDecoder(handle, buffer, metadata);
    } catch (error) {
      await handle.close();
      throw new Error(`${path} cannot be read as Parquet: ${(error as Error).message}`, { cause: error });
    }
  }

  get size(): number {
    return this.#buffer.byteLength;
  }

  /** Values of flat columns in the order of the names; null or undefined where there is none. @throws Error for pages that are damaged or packed in a way that is not known */
  async read(names: readonly string[], { start, end }: RowRange): Promise<readonly (readonly unknown[])[]> {
    const columns = new Map(names.map((name) => [name, new Array<unknown>(end - start)]));
    await parquetRead({
      file: this.#buffer,
      metadata: this.metadata,
      columns: [...names],
      rowStart: start,
      rowEnd: end,
      compressors: COMPRESSORS,
      parsers: PARSERS,
      onChunk: ({ columnName, columnData, rowStart }) => put(columns.get(columnName)!, columnData, rowStart - start),
    }).catch((error: unknown) => {
      const list = names.map((name) => JSON.stringify(name)).join(', ');
      throw new Error(
        `the rows from ${start + 1} of the Parquet columns ${list} cannot be read: ${(error as Error).message}`,
        { cause: error },
      );
    });
    return names.map((name) => columns.get(name)!);
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/** Its name at both ends, and the length of the footer. */
const SMALLEST_BYTES = 12;

const bufferOf = (handle: FileHandle, byteLength: number): AsyncBuffer => ({
  byteLength,
  slice: async (from, to = byteLength) => {
    const bytes = new Uint8Array(Math.max(0, Math.min(to, byteLength) - from));
    for (let done = 0; done < bytes.length; ) {
      const { bytesRead } = await handle.read(bytes, done, bytes.length - done, from + done);
      if (bytesRead === 0) throw new Error('the file became shorter while it was read');
      done += bytesRead;
    }
    return bytes.buffer;
  },
});

function put(into: unknown[], values: DecodedArray, at: number): void {
  const first = Math.max(0, -at);
  const last = Math.min(values.length, into.length - at);
  for (let i = first; i < last; i++) into[at + i] = values[i];
}

/** @throws Error for a footer whose numbers of rows do not fit together */
function checkRows({ num_rows, row_groups }: FileMetaData): void {
  const rows = row_groups.map((group) => Number(group.num_rows));
  const isSound = (count: number): boolean => Number.isSafeInteger(count) && count >= 0 && count <= GROUP_ROWS_MAX;
  if (row_groups.length > GROUPS_MAX || !rows.every(isSound))
    throw new Error(`a row group may have ${GROUP_ROWS_MAX} rows`);
  if (rows.reduce((sum, count) => sum + count, 0) !== Number(num_rows))
    throw new Error('its row groups have another number of rows than the file');
}
