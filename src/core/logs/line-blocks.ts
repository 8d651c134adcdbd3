import { grown } from '../kit/grown.ts';
import { fault } from '../texts/fault.ts';
import { JsonRecords } from './json-records.ts';
import { lastRecordEnd } from './last-record-end.ts';
import { isTable, type LineLayout } from './line-layout.ts';

const NEWLINE = 10;

/** Bytes of a block, about. */
const BLOCK_BYTES = 1024 * 1024;
/** A line that is longer ends the reading: no log has such lines, and memory stays bounded. */
export const LINE_MAX_BYTES = 16 * 1024 * 1024;
/** A quote that is not closed within so many bytes does not hold lines together: it is taken for a stray one. */
const QUOTED_MAX_BYTES = 4 * 1024 * 1024;

type BlockLayout = Pick<LineLayout, 'format' | 'separator' | 'documents'>;

/**
 * Cuts a stream of chunks into blocks of whole records. Where it cuts depends on the sizes of the chunks; the
 * lines of `LineReader` do not.
 */
export class LineBlocks {
  readonly #layout: BlockLayout;
  readonly #blockBytes: number;
  readonly #records: JsonRecords | undefined;
  #bytes: Uint8Array;
  /** Bytes held behind the last block, and those of chunks that made none. */
  #from = 0;
  #to = 0;

  /** @param blockBytes a block is cut when so many bytes are there */
  constructor(layout: BlockLayout, blockBytes = BLOCK_BYTES) {
    this.#layout = layout;
    this.#blockBytes = blockBytes;
    this.#records = layout.documents && new JsonRecords(layout.documents);
    this.#bytes = new Uint8Array(2 * blockBytes);
  }

  /** Takes a copy of the next chunk. @returns a block, valid until the next call, when one is whole */
  push(chunk: Uint8Array): Uint8Array | undefined {
    this.#hold(this.#records?.push(chunk) ?? chunk);
    if (this.#to - this.#from < this.#blockBytes) return undefined;
    const bytes = this.#bytes.subarray(this.#from, this.#to);
    const end = this.#endOf(bytes);
    if (end === 0 && bytes.length > LINE_MAX_BYTES)
      throw fault('a line is longer than {max} bytes', { max: LINE_MAX_BYTES });
    this.#from += end;
    return end === 0 ? undefined : bytes.subarray(0, end);
  }

  /**
   * The rest when the stream has ended: records, the last with or without a line end; undefined when there is
   * nothing.
   */
  end(): Uint8Array | undefined {
    const bytes = this.#bytes.subarray(this.#from, this.#to);
    this.#from = this.#to;
    return bytes.length === 0 ? undefined : bytes;
  }

  #endOf(bytes: Uint8Array): number {
    if (!isTable(this.#layout)) return bytes.lastIndexOf(NEWLINE) + 1;
    const end = lastRecordEnd(bytes, this.#layout.separator);
    return bytes.length - end > QUOTED_MAX_BYTES ? bytes.indexOf(NEWLINE, end) + 1 : end;
  }

  /** Moves the held bytes to the beginning, and the chunk behind it. */
  #hold(chunk: Uint8Array): void {
    const held = this.#to - this.#from;
    this.#bytes.copyWithin(0, this.#from, this.#to);
    if (held + chunk.length > this.#bytes.length) this.#bytes = grown(this.#bytes, held + chunk.length);
    this.#bytes.set(chunk, held);
    this.#from = 0;
    this.#to = held + chunk.length;
  }
}
