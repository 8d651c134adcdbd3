import type { Address } from '../ip/address.ts';
import { findAddresses } from '../ip/find-addresses.ts';
import { PrefixScanner } from '../ip/prefix-scanner.ts';
import { isReserved } from '../ip/special-purpose.ts';
import type { UnixMs } from '../units.ts';
import type { Which } from './line-format.ts';

const NEWLINE = 10;
const RETURN = 13;

/**
 * Reads records out of the bytes of a block, one at a time: where each ends, its address, and its time. Makes
 * no strings and no objects. Blocks come from `LineBlocks`. Not shared: each `read` writes over the result of
 * the one before.
 */
export abstract class LineReader {
  /** The address of the record; its value counts only while `hasAddress`. An `Address` that changes with each read. */
  readonly address = new PrefixScanner();
  hasAddress = false;
  /** End of the record without its line end, LF or CR LF. */
  end = 0;
  /**
   * Where text is added to the record: its end, or the place of the brace that closes an object. Only while
   * `hasAddress`.
   */
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

  /**
   * Sets the address to that in a span, if the whole span is one, with a port or without, or a list of them,
   * of which the first public one counts.
   */
  protected takeAddress(bytes: Uint8Array, from: number, to: number): void {
    this.insertAt = this.end;
    this.hasAddress = this.address.scanAddress(bytes, from, to) || this.#takeSpelled(bytes, from, to);
  }

  #takeSpelled(bytes: Uint8Array, from: number, to: number): boolean {
    // Nearly every span without an address has another sign early on.
    for (let at = from; at < to; at++) if (bytes[at]! >= 128 || SPELLED[bytes[at]!] === 0) return false;
    const [address] = chooseAddresses(findAddresses(decoder.decode(bytes.subarray(from, to))).addresses, 'first');
    if (address !== undefined) this.address.take(address);
    return address !== undefined;
  }
}

/** Which of the addresses in one text count. */
export function chooseAddresses(found: readonly Address[], which: Which): Address[] {
  if (which === 'all' || found.length < 2) return [...found];
  const open = found.filter((address) => !isReserved(address));
  const from = open.length > 0 ? open : found;
  return [which === 'first' ? from[0]! : from.at(-1)!];
}

const decoder = new TextDecoder();
/** By byte: whether it stands in a list of addresses with or without ports. */
const SPELLED = new Uint8Array(128);
for (const sign of '0123456789abcdefABCDEF.:,[] ') SPELLED[sign.charCodeAt(0)] = 1;
