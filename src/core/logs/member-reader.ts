import type { UnixMs } from '../units.ts';
import type { LineLayout } from './line-layout.ts';
import { LineReader } from './line-reader.ts';
import { timeIn } from './time-in.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = 123;
const CLOSE = 125;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const COLON = 58;
const COMMA = 44;
const BLANK = 32;

const encoder = new TextEncoder();
const keysOf = (place: LineLayout['time']): readonly Uint8Array[] =>
  typeof place === 'object' ? place.map((key) => encoder.encode(key)) : [];

/**
 * Lines of JSON objects. The member is found by its keys as they stand in the text, without decoding escapes; of equal keys the first counts. Whether the rest of the line
 * is JSON is not checked.
 */
export class MemberReader extends LineReader {
  readonly #addressKeys: readonly Uint8Array[];
  readonly #timeKeys: readonly Uint8Array[];
  #bytes: Uint8Array = new Uint8Array(0);
  #from = 0;

  constructor({ address, time }: LineLayout) {
    super();
    this.#addressKeys = keysOf(address);
    this.#timeKeys = keysOf(time);
  }

  read(bytes: Uint8Array, from: number): number {
    const next = this.endLine(bytes, from);
    this.#bytes = bytes;
    this.#from = from;
    this.hasAddress = false;
    let closing = this.end - 1;
    while (closing > from && bytes[closing]! <= BLANK) closing--;
    if (bytes[closing] !== CLOSE) return next;
    const value = valueAt(bytes, from, this.end, this.#addressKeys);
    if (value >= 0 && bytes[value] === QUOTE) this.takeAddress(bytes, value + 1, textEnd(bytes, value, this.end) - 1);
    this.insertAt = closing;
    return next;
  }

  time(): UnixMs | undefined {
    const value = this.#timeKeys.length === 0 ? -1 : valueAt(this.#bytes, this.#from, this.end, this.#timeKeys);
    if (value < 0) return undefined;
    const end = valueEnd(this.#bytes, value, this.end);
    return this.#bytes[value] === QUOTE ? timeIn(this.#bytes, value + 1, end - 1) : timeIn(this.#bytes, value, end);
  }
}

/** Where the value begins that the keys lead to; -1 without one. */
function valueAt(bytes: Uint8Array, from: number, to: number, keys: readonly Uint8Array[]): number {
  let at = from;
  for (let depth = 0; depth < keys.length; depth++) {
    at = skipBlanks(bytes, at, to);
    if (bytes[at] !== OPEN) return -1;
    at = memberAt(bytes, at + 1, to, keys[depth]!);
    if (at < 0) return -1;
  }
  return at;
}

/** Where the value of a key begins in the object whose first member begins here; -1 without one. */
function memberAt(bytes: Uint8Array, from: number, to: number, key: Uint8Array): number {
  for (let at = skipBlanks(bytes, from, to); at < to && bytes[at] === QUOTE; ) {
    const end = textEnd(bytes, at, to);
    const isSought = end - at - 2 === key.length && startsWith(bytes, at + 1, key);
    at = skipBlanks(bytes, end, to);
    if (bytes[at] !== COLON) return -1;
    at = skipBlanks(bytes, at + 1, to);
    if (isSought) return at;
    at = skipBlanks(bytes, valueEnd(bytes, at, to), to);
    if (bytes[at] !== COMMA) return -1;
    at = skipBlanks(bytes, at + 1, to);
  }
  return -1;
}

function startsWith(bytes: Uint8Array, at: number, key: Uint8Array): boolean {
  for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key[i]) return false;
  return true;
}

function skipBlanks(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at]! <= BLANK) at++;
  return at;
}

/** The place after the closing quote of the text that begins here; the end of the line where it is not closed. */
function textEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from + 1; at < to; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte === BACKSLASH) at++;
  }
  return to;
}

/** The place after the value that begins here. */
function valueEnd(bytes: Uint8Array, from: number, to: number): number {
  const first = bytes[from];
  if (first === QUOTE) return textEnd(bytes, from, to);
  if (first === OPEN || first === OPEN_LIST) return nestedEnd(bytes, from, to);
  let at = from;
  while (at < to && bytes[at]! > BLANK && bytes[at] !== COMMA && bytes[at] !== CLOSE && bytes[at] !== CLOSE_LIST) at++;
  return at;
}

function nestedEnd(bytes: Uint8Array, from: number, to: number): number {
  let depth = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = textEnd(bytes, at, to) - 1;
    else if (byte === OPEN || byte === OPEN_LIST) depth++;
    else if ((byte === CLOSE || byte === CLOSE_LIST) && --depth === 0) return at + 1;
  }
  return to;
}
