import type { SummaryDoubt } from '../../contract/traffic-summary.ts';
import type { Address } from '../ip/address.ts';
import { findAddresses } from '../ip/find-addresses.ts';
import { PrefixScanner } from '../ip/prefix-scanner.ts';
import { isReserved } from '../ip/special-purpose.ts';
import type { UnixMs } from '../units.ts';
import type { Which } from './line-format.ts';

const NEWLINE = 10;
const RETURN = 13;
const HASH = 35;

/**
 * Reads records from the bytes of a block, one at a time: their end, address and time. It makes no strings
 * and no objects. Blocks come from `LineBlocks`. Each `read` overwrites the previous result, so a reader is
 * not shared.
 */
export abstract class LineReader {
  /** Valid only while `hasAddress`, and overwritten by each read. */
  readonly address = new PrefixScanner();
  hasAddress = false;
  /** Such a line without an address is no record. */
  isComment = false;
  end = 0;
  /**
   * Added text goes here: the record's end, or the brace that closes an object. Valid only while
   * `hasAddress`.
   */
  insertAt = 0;
  /** The kinds of the lines read so far whose client is a guess. */
  doubts: readonly SummaryDoubt[] = [];

  readonly #doubt: SummaryDoubt | undefined;

  /** @param doubt about each line from which `takeAddress` takes one */
  constructor(doubt?: SummaryDoubt) {
    this.#doubt = doubt;
  }

  /** Reads the record that begins at `from`. @returns the start of the next one */
  abstract read(bytes: Uint8Array, from: number): number;

  /** Returns the time of the last record; undefined where it has no readable one. */
  abstract time(): UnixMs | undefined;

  /** Sets `end` to that of the line. @returns the start of the next line */
  protected endLine(bytes: Uint8Array, from: number): number {
    const newline = bytes.indexOf(NEWLINE, from);
    const next = newline < 0 ? bytes.length : newline + 1;
    const end = newline < 0 ? next : newline;
    this.isComment = bytes[from] === HASH;
    this.end = end > from && bytes[end - 1] === RETURN ? end - 1 : end;
    return next;
  }

  /**
   * Takes the address of a span that is wholly one, with or without a port, or a list, whose first public one
   * counts.
   */
  protected takeAddress(bytes: Uint8Array, from: number, to: number): void {
    this.insertAt = this.end;
    this.hasAddress = this.address.scanAddress(bytes, from, to) || this.#takeSpelled(bytes, from, to);
    if (this.hasAddress && this.#doubt !== undefined) this.doubts = addDoubts(this.doubts, [this.#doubt]);
  }

  #takeSpelled(bytes: Uint8Array, from: number, to: number): boolean {
    // Nearly every span without an address has another sign early on.
    for (let at = from; at < to; at++) if (bytes[at]! >= 128 || SPELLED[bytes[at]!] === 0) return false;
    const [address] = chooseAddresses(findAddresses(decoder.decode(bytes.subarray(from, to))).addresses, 'first');
    if (address !== undefined) this.address.take(address);
    return address !== undefined;
  }
}

const KINDS_MAX = 20;

/** Adds the lines of kinds with the same names; the first have their own entry. */
export function addDoubts(
  known: readonly SummaryDoubt[],
  [one, ...more]: readonly SummaryDoubt[],
): readonly SummaryDoubt[] {
  if (one === undefined) return known;
  const at = known.findIndex((other) => other.taken === one.taken || kindOf(other) === kindOf(one));
  const sum =
    at < 0
      ? [...known, one].slice(0, KINDS_MAX)
      : known.with(at, { ...known[at]!, lines: known[at]!.lines + one.lines });
  return addDoubts(sum, more);
}

const kindOf = ({ taken, others }: SummaryDoubt): string => JSON.stringify([taken, ...others].map(({ name }) => name));

export function chooseAddresses(found: readonly Address[], which: Which): Address[] {
  if (which === 'all' || found.length < 2) return [...found];
  const open = found.filter((address) => !isReserved(address));
  const from = open.length > 0 ? open : found;
  return [which === 'first' ? from[0]! : from.at(-1)!];
}

const decoder = new TextDecoder();
const SPELLED = new Uint8Array(128);
for (const sign of '0123456789abcdefABCDEF.:,[] =\'"') SPELLED[sign.charCodeAt(0)] = 1;
