import { grown } from '../kit/grown.ts';
import { fault } from '../texts/said.ts';
import { JsonRecords } from './json-records.ts';
import { lastRecordEnd } from './last-record-end.ts';
import { isTable, type LineLayout } from './line-layout.ts';

const NEWLINE = 10;

const BLOCK_BYTES = 1024 * 1024;
/** A longer line ends the reading: no log has such lines, and memory stays bounded. */
export const LINE_MAX_BYTES = 16 * 1024 * 1024;
/** A quote without a closing one in this distance is stray and does not hold lines together. */
const QUOTED_MAX_BYTES = 4 * 1024 * 1024;

type BlockLayout = Pick<LineLayout, 'format' | 'separator' | 'documents'>;

/**
 * Cuts a stream of chunks into blocks of whole records. The cuts depend on the sizes of the chunks; the lines
 * of `LineReader` do not.
 */
export class LineBlocks {
  readonly #layout: BlockLayout;
  readonly #blockBytes: number;
  readonly #records: JsonRecords | undefined;
  #bytes: Uint8Array;
  #from = 0;
  #to = 0;

  constructor(layout: BlockLayout, blockBytes = BLOCK_BYTES) {
    this.#layout = layout;
    this.#blockBytes = blockBytes;
    this.#records = layout.documents && new JsonRecords(layout.documents);
    this.#bytes = new Uint8Array(2 * blockBytes);
  }

  /** Copies the next chunk. @returns a block, valid until the next call, when one is complete */
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
   * Returns the remaining records after the end of the stream, the last with or without a line end; undefined
   * if there are none.
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

  #hold(chunk: Uint8Array): void {
    const held = this.#to - this.#from;
    this.#bytes.copyWithin(0, this.#from, this.#to);
    if (held + chunk.length > this.#bytes.length) this.#bytes = grown(this.#bytes, held + chunk.length);
    this.#bytes.set(chunk, held);
    this.#from = 0;
    this.#to = held + chunk.length;
  }
}
