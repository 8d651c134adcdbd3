import { isSeparatorLine, splitRow } from '../csv/split-row.ts';
import type { UnixMs } from '../units.ts';
import { closingQuote, isOpeningQuote } from './last-record-end.ts';
import type { LineLayout } from './line-layout.ts';
import { LineReader } from './line-reader.ts';
import { isOutgoing } from './near-ends.ts';
import { type Span, timeIn } from './time-in.ts';

const QUOTE = 34;
const BLANK = 32;

/**
 * Reads records of a table, CSV or TSV with the quotes of RFC 4180: a quoted cell may hold separators,
 * doubled quotes and line ends.
 */
export class CellReader extends LineReader {
  readonly #separator: number;
  readonly #addressColumn: number;
  readonly #nearColumn: number | undefined;
  readonly #header: readonly string[] | undefined;
  readonly #timeColumn: number;
  readonly #clockColumn: number;
  readonly #statesSeparator: boolean;
  #bytes: Uint8Array = new Uint8Array(0);
  #time: Span = [0, 0];
  #clock: Span = [0, 0];
  #quote = 0;
  #block: Uint8Array | undefined;

  constructor({
    separator,
    address,
    header,
    nearColumn,
    time,
    clock = -1,
    statesSeparator = false,
    doubt,
  }: LineLayout) {
    super(doubt);
    this.#separator = separator;
    this.#addressColumn = typeof address === 'number' ? address : 0;
    this.#nearColumn = nearColumn;
    this.#header = header;
    this.#timeColumn = typeof time === 'number' ? time : -1;
    this.#clockColumn = clock;
    this.#statesSeparator = statesSeparator;
  }

  read(bytes: Uint8Array, start: number): number {
    const from = start === 0 && this.#statesSeparator ? this.#behindSeparatorLine(bytes) : start;
    if (bytes !== this.#block) {
      this.#block = bytes;
      this.#quote = bytes.indexOf(QUOTE, from);
    } else if (this.#quote >= 0 && this.#quote < from) this.#quote = bytes.indexOf(QUOTE, from);
    this.#bytes = bytes;
    this.hasAddress = false;
    this.#time = this.#clock = [from, from];
    const next = this.#endRecord(bytes, from);
    const isNear = this.#nearColumn !== undefined && this.#callsOut(bytes, from);
    this.#takeFrom(isNear ? this.#nearColumn! : this.#addressColumn, bytes, from);
    return next;
  }

  #callsOut(bytes: Uint8Array, from: number): boolean {
    const cells = splitRow(
      new TextDecoder().decode(bytes.subarray(from, this.end)),
      String.fromCharCode(this.#separator),
    );
    return isOutgoing((this.#header ?? []).map((name, i) => `${name}=${cells[i] ?? ''}`).join(' ')) === true;
  }

  #behindSeparatorLine(bytes: Uint8Array): number {
    const next = this.endLine(bytes, 0);
    return isSeparatorLine(new TextDecoder().decode(bytes.subarray(0, this.end))) ? next : 0;
  }

  #takeFrom(addressColumn: number, bytes: Uint8Array, from: number): void {
    const last = Math.max(addressColumn, this.#timeColumn, this.#clockColumn);
    let at = from;
    for (let column = 0; column <= last && at <= this.end; column++) {
      const end = this.#cellEnd(bytes, at);
      if (column === addressColumn || column === this.#timeColumn || column === this.#clockColumn)
        this.#take(bytes, at, end, { column, addressColumn });
      at = end + 1;
    }
  }

  time(): UnixMs | undefined {
    const clock = this.#clockColumn < 0 ? undefined : this.#clock;
    return timeIn(this.#bytes, this.#time, clock);
  }

  #endRecord(bytes: Uint8Array, from: number): number {
    let next = this.endLine(bytes, from);
    for (let at = this.#quote; at >= 0 && at < next; ) {
      const close = isOpeningQuote(bytes, at, this.#separator) ? closingQuote(bytes, at) : at;
      // The quote is stray, or the rest of the file is missing, so it does not hold lines together.
      if (close < 0) break;
      if (close >= next) next = this.endLine(bytes, close);
      at = bytes.indexOf(QUOTE, close + 1);
    }
    return next;
  }

  #cellEnd(bytes: Uint8Array, from: number): number {
    let at = from;
    if (this.#quote >= 0 && this.#quote < this.end) {
      let first = from;
      while (first < this.end && bytes[first] === BLANK) first++;
      const close = bytes[first] === QUOTE ? closingQuote(bytes, first) : -1;
      if (close >= 0 && close < this.end) at = close;
    }
    while (at < this.end && bytes[at] !== this.#separator) at++;
    return at;
  }

  #take(
    bytes: Uint8Array,
    from: number,
    to: number,
    { column, addressColumn }: { readonly column: number; readonly addressColumn: number },
  ): void {
    let [start, end] = [from, to];
    while (start < end && bytes[start] === BLANK) start++;
    while (end > start && bytes[end - 1] === BLANK) end--;
    if (end > start + 1 && bytes[start] === QUOTE && bytes[end - 1] === QUOTE) {
      start++;
      end--;
    }
    if (column === addressColumn) this.takeAddress(bytes, start, end);
    if (column === this.#timeColumn) this.#time = [start, end];
    if (column === this.#clockColumn) this.#clock = [start, end];
  }
}
