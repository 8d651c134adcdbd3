import { PrefixScanner } from '../ip/prefix-scanner.ts';
import type { UnixMs } from '../units.ts';

const NEWLINE = 10;
const RETURN = 13;

/**
 * Reads records out of the bytes of a block, one at a time: where each ends, where its address stands, and its time. Makes no strings and no objects. Blocks come from
 * `LineBlocks`. Not shared: each `read` writes over the result of the one before.
 */
export abstract class LineReader {
  /** The address of the record; its value counts only while `hasAddress`. An `Address` that changes with each read. */
  readonly address = new PrefixScanner();
  hasAddress = false;
  /** Where the text of the address stands. */
  addressFrom = 0;
  addressTo = 0;
  /** End of the record without its line end, LF or CR LF. */
  end = 0;
  /** Where text is added to the record: its end, or the place of the brace that closes an object. Only while `hasAddress`. */
  insertAt = 0;

  /** Reads the record that begins at `from`. @returns where the next one begins */
  abstract read(bytes: Uint8Array, from: number): number;

  /** The time of the record that was read last; undefined where it has none that can be read. */
  abstract time(): UnixMs | undefined;

  /** Sets `end` to that of the line. @returns where the next line begins */
  protected endLine(bytes: Uint8Array, from: number): number {
    const newline = bytes.indexOf(NEWLINE, from);
    const next = newline < 0 ? bytes.length : newline + 1;
    const end = newline < 0 ? next : newline;
    this.end = end > from && bytes[end - 1] === RETURN ? end - 1 : end;
    return next;
  }

  /** Sets the address to that in a span, if the whole span is one. */
  protected takeAddress(bytes: Uint8Array, from: number, to: number): void {
    this.addressFrom = from;
    this.addressTo = to;
    this.insertAt = this.end;
    this.hasAddress = this.address.scanAddress(bytes, from, to);
  }
}
