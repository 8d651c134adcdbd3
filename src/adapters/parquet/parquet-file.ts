import { type FileHandle, open } from 'node:fs/promises';
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import type { AsyncBuffer, Compressors, DecodedArray, FileMetaData, RowGroup, SchemaElement } from 'hyparquet';

/** A column at the top of a file. */
export interface ParquetColumn {
  readonly element: SchemaElement;
  /** Holds one value a row, without lists or members. */
  readonly isFlat: boolean;
}

/** Rows of a file from `start` up to, and without, `end`. */
export interface RowRange {
  readonly start: number;
  readonly end: number;
}

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

/** A Parquet file that is read column by column of a row group. */
export class ParquetFile {
  readonly metadata: FileMetaData;
  readonly columns: readonly ParquetColumn[];
  readonly #library: typeof import('hyparquet');
  readonly #handle: FileHandle;
  readonly #buffer: AsyncBuffer;

  private constructor(library: typeof import('hyparquet'), handle: FileHandle, buffer: AsyncBuffer, metadata: FileMetaData) {
    this.#library = library;
    this.#handle = handle;
    this.#buffer = buffer;
    this.metadata = metadata;
    this.columns = library.parquetSchema(metadata).children.map(({ element, children }) => ({
      element,
      isFlat: children.length === 0 && element.repetition_type !== 'REPEATED',
    }));
  }

  /** @throws Error of the file system, or for a file that is not Parquet or whose footer is damaged */
  static async open(path: string): Promise<ParquetFile> {
    const library = await import('hyparquet');
    const handle = await open(path, 'r');
    try {
      const buffer = bufferOf(handle, (await handle.stat()).size);
      if (buffer.byteLength < SMALLEST_BYTES) throw new Error('the file is too short');
      return new ParquetFile(library, handle, buffer, await library.parquetMetadataAsync(buffer, { geoparquet: false, parsers: PARSERS }));
    } catch (error) {
      await handle.close();
      throw new Error(`${path} cannot be read as Parquet: ${(error as Error).message}`, { cause: error });
    }
  }

  get size(): number {
    return this.#buffer.byteLength;
  }

  get rows(): number {
    return Number(this.metadata.num_rows);
  }

  /** The row groups in their order, without those that have no rows. */
  *groups(): Generator<RowRange & { readonly group: RowGroup }> {
    let start = 0;
    for (const group of this.metadata.row_groups) {
      const end = start + Number(group.num_rows);
      if (end > start) yield { group, start, end };
      start = end;
    }
  }

  /** Values of flat columns in the order of the names; null or undefined where there is none. @throws Error for pages that are damaged or packed in a way that is not known */
  async read(names: readonly string[], { start, end }: RowRange): Promise<readonly (readonly unknown[])[]> {
    const columns = new Map(names.map((name) => [name, new Array<unknown>(end - start)]));
    const { parquetRead } = this.#library;
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
      throw new Error(`the rows from ${start + 1} of the Parquet columns ${list} cannot be read: ${(error as Error).message}`, { cause: error });
    });
    return names.map((name) => columns.get(name)!);
  }

  /** Bytes of the file as they lie there, in pieces; each is valid until the next one is asked for. */
  async *bytes(from: number, length: number): AsyncGenerator<Uint8Array> {
    const memory = Buffer.allocUnsafeSlow(Math.min(length, PIECE_BYTES));
    for (let done = 0; done < length; ) {
      const { bytesRead } = await this.#handle.read(memory, 0, Math.min(memory.length, length - done), from + done);
      if (bytesRead === 0) throw new Error('the Parquet file ends before its columns do');
      yield memory.subarray(0, bytesRead);
      done += bytesRead;
    }
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

const PIECE_BYTES = 1024 * 1024;
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
