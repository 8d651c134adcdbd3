import { isRecord, parseJson } from '../kit/json.ts';
import { candidatesIn } from './candidates-in-text.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = 123;
const CLOSE = 125;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const _COMMA = 44;
const NEWLINE = 10;
const BLANK = 32;

/** Names of members that hold the records of a document: AWS, Azure, Google, CloudWatch, Elasticsearch, common use. */
const LISTS =
  /^(?:records|value|logevents|entries|items|hits|results|events|logs|data|rows|alerts|findings|response|objects)$/i;

/** How the records of a file of JSON are written. */
export interface JsonDocuments {
  /**
   * Keys that lead to the list of records in each document; none: the documents, or the elements of outer
   * lists, are the records.
   */
  readonly list: readonly string[];
}

/**
 * Sees documents of JSON that are not one object a line: lists, objects around a list of records, objects
 * over several lines.
 * @returns undefined where each line is an object, or the text is not JSON
 */
export function jsonDocuments(sample: string): JsonDocuments | undefined {
  const text = sample.replace(/^\uFEFF/, '').trimStart();
  if (!/^(?:\[\s*[[{]|\{\s*["}])/.test(text)) return undefined;
  if (text.startsWith('[')) return { list: [] };
  const list = listIn(text);
  if (list !== undefined) return { list };
  const [first = ''] = text.split('\n', 1);
  return isRecord(parseJson(first)) || first.trimEnd().endsWith('}') ? undefined : { list: [] };
}

/** Arrays without objects, and anything that is not an array. */
const BEFORE_LIST = String.raw`(?:[^[\]]|\[[^[\]{}]*\])*?`;
const LIST = new RegExp(String.raw`^\{(?<before>${BEFORE_LIST})"(?<name>[^"\\]+)"\s*:\s*\[\s*\{`);
/** Characters before the list that are looked at. */
const BEFORE_MAX = 4096;

/** The keys, the last one of a known name, that lead to a list of objects. */
function listIn(text: string): readonly string[] | undefined {
  const { before, name } = LIST.exec(text.slice(0, BEFORE_MAX))?.groups ?? {};
  if (before === undefined || name === undefined || !LISTS.test(name)) return undefined;
  const open: string[] = [];
  // Objects that are open where the list begins, by the keys before them.
  for (const { 1: key, 2: brace } of before.matchAll(/"([^"\\]*)"\s*:\s*\{|(\})/g))
    if (brace === undefined) open.push(key!);
    else open.pop();
  const keys = [...open, name];
  return open.length <= 1 && isAroundRecords(text, keys) ? keys : undefined;
}

/**
 * Whether the addresses of the first document are in its list, and not around it: then the document itself is
 * the record.
 */
function isAroundRecords(text: string, keys: readonly string[]): boolean {
  const [whole] = recordsOf(text, { list: [] });
  const document = whole === undefined ? undefined : parseJson(whole);
  if (document === undefined) return true;
  const [first] = recordsOf(whole!, { list: keys });
  const around = JSON.stringify(document, (key, value: unknown) =>
    key === keys.at(-1) && Array.isArray(value) ? undefined : value,
  );
  return candidatesIn(parseJson(around)).length === 0 || (first !== undefined && /^records$/i.test(keys.at(-1)!));
}

/** The whole records of a text. */
export function recordsOf(text: string, documents: JsonDocuments): readonly string[] {
  const lines = new TextDecoder().decode(new JsonRecords(documents).push(new TextEncoder().encode(text))).split('\n');
  return lines.slice(0, -1);
}

/** Turns documents of JSON into one record a line, chunk by chunk. Members around a list of records are left out. */
export class JsonRecords {
  readonly #list: readonly string[];
  #out: Uint8Array = new Uint8Array(0);
  #size = 0;
  /** Brackets that are open, outermost first. */
  #open: number[] = [];
  #inText = false;
  #isEscaped = false;
  /** Of the record that is being written: how many brackets are open outside of it. */
  #recordAt = -1;
  /** The last key or text at the depth of the list's way. */
  #text: number[] = [];
  #path: string[] = [];
  #last = '';

  constructor({ list }: JsonDocuments) {
    this.#list = list;
  }

  /** @returns whole records and the beginning of the next, valid until the next call */
  push(chunk: Uint8Array): Uint8Array {
    this.#size = 0;
    if (this.#out.length < 2 * chunk.length) this.#out = new Uint8Array(2 * chunk.length);
    for (const byte of chunk) this.#take(byte);
    return this.#out.subarray(0, this.#size);
  }

  #take(byte: number): void {
    if (this.#inText) {
      this.#copy(byte);
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        this.#inText = false;
        if (this.#recordAt < 0) this.#last = new TextDecoder().decode(Uint8Array.from(this.#text));
      } else if (this.#recordAt < 0) this.#text.push(byte);
      return;
    }
    if (byte === QUOTE) {
      this.#inText = true;
      this.#text = [];
    }
    if (byte === OPEN || byte === OPEN_LIST) this.#begin(byte);
    else if (byte === CLOSE || byte === CLOSE_LIST) this.#end(byte);
    else this.#copy(byte);
  }

  #begin(byte: number): void {
    const depth = this.#open.length;
    if (this.#recordAt < 0 && byte === OPEN && this.#isPlaceOfRecord()) this.#recordAt = depth;
    this.#open.push(byte);
    this.#path.push(this.#last);
    this.#last = '';
    this.#copy(byte);
  }

  #end(byte: number): void {
    this.#copy(byte);
    this.#open.pop();
    this.#path.pop();
    if (this.#recordAt < 0 || this.#open.length > this.#recordAt) return;
    this.#recordAt = -1;
    this.#out[this.#size++] = NEWLINE;
  }

  /** Without a list of records: outside of objects. Else inside of the list that its keys lead to. */
  #isPlaceOfRecord(): boolean {
    if (this.#list.length === 0) return this.#open.every((bracket) => bracket === OPEN_LIST);
    if (this.#open.at(-1) !== OPEN_LIST) return false;
    const keys = this.#path.slice(1);
    return keys.length === this.#list.length && keys.every((key, i) => key === this.#list[i]);
  }

  /** Line ends between members become blanks. */
  #copy(byte: number): void {
    if (this.#recordAt >= 0) this.#out[this.#size++] = byte < BLANK && !this.#inText ? BLANK : byte;
  }
}
