import { lastRecordEnd } from './last-record-end.ts';
import { isTable, type LineLayout } from './line-layout.ts';

const NEWLINE = 10;

/** Bytes of a block, about. */
const BLOCK_BYTES = 1024 * 1024;
/** A line that is longer ends the reading: no log has such lines, and memory stays bounded. */
export const LINE_MAX_BYTES = 16 * 1024 * 1024;
/** A quote that is not closed within so many bytes does not hold lines together: it is taken for a stray one. */
const QUOTED_MAX_BYTES = 4 * 1024 * 1024;

/** Cuts a stream of chunks into blocks of whole records. Where it cuts depends on the sizes of the chunks; what `LineReader` makes of the blocks does not. */
export class LineBlocks {
  readonly #layout: Pick<LineLayout, 'format' | 'separator'>;
  readonly #blockBytes: number;
  #pending: Uint8Array[] = [];
  #size = 0;

  /** @param blockBytes a block is cut when so many bytes are there */
  constructor(layout: Pick<LineLayout, 'format' | 'separator'>, blockBytes = BLOCK_BYTES) {
    this.#layout = layout;
    this.#blockBytes = blockBytes;
  }

  /**
   * Takes the next chunk, which must not change afterwards.
   * @returns a block; undefined while more bytes are needed
   * @throws RangeError for a line of more than `LINE_MAX_BYTES`
   */
  push(chunk: Uint8Array): Uint8Array | undefined {
    if (chunk.length > 0) this.#pending.push(chunk);
    this.#size += chunk.length;
    if (this.#size < this.#blockBytes) return undefined;
    const bytes = this.#joined();
    const end = this.#endOf(bytes);
    if (end === 0 && bytes.length > LINE_MAX_BYTES) throw new RangeError(`a line is longer than ${LINE_MAX_BYTES} bytes`);
    this.#pending = end < bytes.length ? [bytes.subarray(end)] : [];
    this.#size = bytes.length - end;
    return end === 0 ? undefined : bytes.subarray(0, end);
  }

  /** What is left when the stream has ended: records, the last with or without a line end; undefined when there is nothing. */
  end(): Uint8Array | undefined {
    const bytes = this.#joined();
    this.#pending = [];
    this.#size = 0;
    return bytes.length === 0 ? undefined : bytes;
  }

  #endOf(bytes: Uint8Array): number {
    if (!isTable(this.#layout)) return bytes.lastIndexOf(NEWLINE) + 1;
    const end = lastRecordEnd(bytes, this.#layout.separator);
    return bytes.length - end > QUOTED_MAX_BYTES ? bytes.indexOf(NEWLINE, end) + 1 : end;
  }

  #joined(): Uint8Array {
    if (this.#pending.length === 1) return this.#pending[0]!;
    const bytes = new Uint8Array(this.#size);
    let at = 0;
    for (const chunk of this.#pending) {
      bytes.set(chunk, at);
      at += chunk.length;
    }
    this.#pending = [bytes];
    return bytes;
  }
}
