import { splitRow } from './split-row.ts';

const NEWLINE = 10;
const SPACE = 32;
const HASH = 35;
const QUOTE = 34;
/** Readers can ask for this many fields of a line; columns that lists are read by come long before. */
const FIELDS_MAX = 64;

const DECODER = new TextDecoder();
const ENCODER = new TextEncoder();

/**
 * Finds the fields of one line of CSV at a time as positions in the bytes. Only a field that is requested as
 * text becomes a string.
 */
export class CsvFields {
  /** `starts` and `ends` point into these bytes: the list's own, or a copy of a line without its quotes. */
  bytes: Uint8Array = new Uint8Array(0);
  readonly starts = new Int32Array(FIELDS_MAX);
  readonly ends = new Int32Array(FIELDS_MAX);
  /** 0 for an empty line and for a comment. */
  count = 0;
  readonly #separator: number;
  readonly #separatorText: string;

  /** @param separator one ASCII character */
  constructor(separator: string) {
    this.#separatorText = separator;
    this.#separator = separator.charCodeAt(0);
  }

  /** Reads the line that begins at `from`. @returns the start of the next line */
  read(list: Uint8Array, from: number): number {
    const separator = this.#separator;
    let count = 0;
    let start = from;
    let quoted = false;
    let at = from;
    for (; at < list.length; at++) {
      const byte = list[at]!;
      if (byte === NEWLINE) break;
      if (byte === QUOTE) quoted = true;
      if (byte !== separator || count === FIELDS_MAX) continue;
      this.#set(list, count++, start, at);
      start = at + 1;
    }
    if (count < FIELDS_MAX) this.#set(list, count++, start, at);
    this.bytes = list;
    this.count = isSilent(list, from, at) ? 0 : count;
    if (quoted && this.count > 0) this.#unquote(DECODER.decode(list.subarray(from, at)));
    return at + 1;
  }

  /** Returns '' where the line has no such column. */
  text(column: number): string {
    if (column < 0 || column >= this.count) return '';
    return DECODER.decode(this.bytes.subarray(this.starts[column]!, this.ends[column]!));
  }

  #set(list: Uint8Array, column: number, start: number, end: number): void {
    let from = start;
    let to = end;
    while (from < to && list[from]! <= SPACE) from++;
    while (to > from && list[to - 1]! <= SPACE) to--;
    this.starts[column] = from;
    this.ends[column] = to;
  }

  #unquote(line: string): void {
    const fields = splitRow(line, this.#separatorText).slice(0, FIELDS_MAX);
    this.bytes = ENCODER.encode(fields.join(''));
    this.count = fields.length;
    let at = 0;
    for (const [column, field] of fields.entries()) {
      this.starts[column] = at;
      at += ENCODER.encode(field).length;
      this.ends[column] = at;
    }
  }
}

/** Returns whether a line is white space or a comment. */
function isSilent(list: Uint8Array, from: number, to: number): boolean {
  if (list[from] === HASH) return true;
  for (let at = from; at < to; at++) if (list[at]! > SPACE) return false;
  return true;
}
