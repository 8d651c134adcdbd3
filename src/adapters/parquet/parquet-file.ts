import { type FileHandle, open } from 'node:fs/promises';
import type { FileMetaData, RowGroup, SchemaElement } from 'hyparquet';
import { WorkerCalls } from '../system/worker-calls.ts';

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

export type ParquetCall =
  | { readonly do: 'open'; readonly path: string }
  | { readonly do: 'read'; readonly names: readonly string[]; readonly range: RowRange };
export interface OpenedParquet {
  readonly metadata: FileMetaData;
  readonly columns: readonly ParquetColumn[];
  readonly size: number;
}
export type ParquetReply = OpenedParquet | { readonly values: readonly (readonly unknown[])[] };

/** A row group that takes this long to decode is damaged. */
const PATIENCE_MS = 300_000;

/** A Parquet file that is read column by column of a row group. A thread of its own decodes it, and is ended when the work is given up or takes too long. */
export class ParquetFile {
  readonly metadata: FileMetaData;
  readonly columns: readonly ParquetColumn[];
  readonly size: number;
  readonly #ask: Ask;
  readonly #thread: ParquetThread;
  readonly #handle: FileHandle;

  private constructor(ask: Ask, thread: ParquetThread, handle: FileHandle, { metadata, size, columns }: OpenedParquet) {
    this.#ask = ask;
    this.#thread = thread;
    this.#handle = handle;
    this.metadata = metadata;
    this.size = size;
    this.columns = columns;
  }

  /**
   * @param signal ends the work; its reason is thrown
   * @param patienceMs for the footer, and for the columns of each row group
   * @throws Error of the file system, or for a file that is not Parquet or whose footer is damaged
   */
  static async open(path: string, signal: AbortSignal, patienceMs = PATIENCE_MS): Promise<ParquetFile> {
    const thread: ParquetThread = new WorkerCalls(new URL('./parquet-worker.ts', import.meta.url), {
      ended: 'the thread that decodes it ended',
    });
    const ask = asking(thread, signal, patienceMs);
    try {
      const opened = await ask({ do: 'open', path });
      if ('values' in opened) throw new Error('the thread that decodes Parquet answered another question');
      return new ParquetFile(ask, thread, await open(path, 'r'), opened);
    } catch (error) {
      await thread.close();
      throw error;
    }
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
    const reply = await this.#ask({ do: 'read', names, range: { start, end } });
    return 'values' in reply ? reply.values : [];
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
    await this.#thread.close();
    await this.#handle.close();
  }
}

const PIECE_BYTES = 1024 * 1024;

type ParquetThread = WorkerCalls<ParquetCall, ParquetReply>;
type Ask = (call: ParquetCall) => Promise<ParquetReply>;

/** Calls of the thread, each of which ends it where it is given up or takes too long. */
const asking =
  (thread: ParquetThread, signal: AbortSignal, patienceMs: number): Ask =>
  async (call) => {
    signal.throwIfAborted();
    const late = AbortSignal.timeout(patienceMs);
    const ended = AbortSignal.any([signal, late]);
    const end = (): void => void thread.close();
    ended.addEventListener('abort', end);
    try {
      return await thread.call(call);
    } catch (error) {
      signal.throwIfAborted();
      if (late.aborted)
        throw new Error(
          `the Parquet file is damaged: one part of it took longer than ${patienceMs / 1000} s to decode`,
        );
      throw error;
    } finally {
      ended.removeEventListener('abort', end);
    }
  };
