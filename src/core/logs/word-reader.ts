import type { UnixMs } from '../units.ts';
import { type BracketTime, bracketTime } from './bracket-time.ts';
import { LineReader } from './line-reader.ts';
import { writtenTime } from './time-in.ts';

const TAB = 9;
const SPACE = 32;
const QUOTE = 34;
const OPEN = 91;
const CLOSE = 93;
const BACKSLASH = 92;

/** Lines whose address is a word of its own: access logs, and lists of addresses. A text in quotes or in brackets is one word. */
export class WordReader extends LineReader {
  readonly #word: number;
  readonly #bracketTime: BracketTime = bracketTime();
  #bytes: Uint8Array = new Uint8Array(0);
  #from = 0;

  /** @param word number of the word with the address, from 0 */
  constructor(word: number) {
    super();
    this.#word = word;
  }

  read(bytes: Uint8Array, from: number): number {
    const next = this.endLine(bytes, from);
    const { end } = this;
    this.#bytes = bytes;
    this.#from = from;
    let at = skipBlanks(bytes, from, end);
    for (let word = 0; word < this.#word; word++) at = skipBlanks(bytes, wordEnd(bytes, at, end), end);
    const to = wordEnd(bytes, at, end);
    const isQuoted = to > at + 1 && bytes[at] === QUOTE && bytes[to - 1] === QUOTE;
    this.takeAddress(bytes, isQuoted ? at + 1 : at, isQuoted ? to - 1 : to);
    return next;
  }

  /** The first text in brackets that is a time, as access logs write it: `[22/Nov/2026:08:00:00 +0000]`; else one that begins with its year. */
  time(): UnixMs | undefined {
    return this.#bracketTime(this.#bytes, this.#from, this.end) ?? writtenTime(this.#bytes, this.#from, this.end);
  }
}

function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
  return at;
}

/** Where the word that begins here ends. A quote or bracket that is not closed does not hold words together. */
function wordEnd(bytes: Uint8Array, from: number, to: number): number {
  const first = bytes[from];
  const closed =
    first === QUOTE ? closing(bytes, from, to, QUOTE) : first === OPEN ? closing(bytes, from, to, CLOSE) : -1;
  if (closed >= 0) return closed;
  let at = from;
  while (at < to && bytes[at] !== SPACE && bytes[at] !== TAB) at++;
  return at;
}

/** The place after the closing byte; -1 without one. */
function closing(bytes: Uint8Array, from: number, to: number, close: number): number {
  for (let at = from + 1; at < to; at++) {
    if (bytes[at] === close) return at + 1;
    if (bytes[at] === BACKSLASH) at++;
  }
  return -1;
}
