import { isRecord, parseJson } from '../kit/json.ts';
import { candidatesIn } from './candidates-in-text.ts';

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN = 123;
const CLOSE = 125;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const NEWLINE = 10;
const BLANK = 32;

/**
 * AWS, Azure, Google, CloudWatch, Elasticsearch and common use put the records of a document under these
 * names.
 */
const LISTS =
  /^(?:records|value|logevents|entries|items|hits|results|events|logs|data|rows|alerts|findings|response|objects)$/i;

export interface JsonDocuments {
  /**
   * These keys lead to the list of records in each document. Without keys, the documents or the elements of
   * outer lists are the records.
   */
  readonly list: readonly string[];
}

/**
 * Recognises JSON documents that are not one object per line: lists, objects around a list of records, objects
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

const BEFORE_LIST = String.raw`(?:[^[\]]|\[[^[\]{}]*\])*?`;
const LIST = new RegExp(String.raw`^\{(?<before>${BEFORE_LIST})"(?<name>[^"\\]+)"\s*:\s*\[\s*\{`);
const BEFORE_MAX = 4096;

/** Finds the keys that lead to a list of objects; the last one has a known name. */
function listIn(text: string): readonly string[] | undefined {
  const { before, name } = LIST.exec(text.slice(0, BEFORE_MAX))?.groups ?? {};
  if (before === undefined || name === undefined || !LISTS.test(name)) return undefined;
  const open: string[] = [];
  for (const { 1: key, 2: brace } of before.matchAll(/"([^"\\]*)"\s*:\s*\{|(\})/g))
    if (brace === undefined) open.push(key!);
    else open.pop();
  const keys = [...open, name];
  return open.length <= 1 && isAroundRecords(text, keys) ? keys : undefined;
}

/**
 * Returns whether the addresses of the first document are in its list; otherwise the document itself is the
 * record.
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

export function recordsOf(text: string, documents: JsonDocuments): readonly string[] {
  const lines = new TextDecoder().decode(new JsonRecords(documents).push(new TextEncoder().encode(text))).split('\n');
  return lines.slice(0, -1);
}

/** Writes JSON documents as one record a line, chunk by chunk. Members around a list of records are dropped. */
export class JsonRecords {
  readonly #list: readonly string[];
  #out: Uint8Array = new Uint8Array(0);
  #size = 0;
  #open: number[] = [];
  #inText = false;
  #isEscaped = false;
  /** Counts the brackets open outside the record that is being written; -1 between records. */
  #recordAt = -1;
  #text: number[] = [];
  #path: string[] = [];
  #last = '';

  constructor({ list }: JsonDocuments) {
    this.#list = list;
  }

  /** @returns whole records and the beginning of the next one, valid until the next call */
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

  /** A record begins inside the list that the keys lead to, or without keys outside of objects. */
  #isPlaceOfRecord(): boolean {
    if (this.#list.length === 0) return this.#open.every((bracket) => bracket === OPEN_LIST);
    if (this.#open.at(-1) !== OPEN_LIST) return false;
    const keys = this.#path.slice(1);
    return keys.length === this.#list.length && keys.every((key, i) => key === this.#list[i]);
  }

  #copy(byte: number): void {
    if (this.#recordAt >= 0) this.#out[this.#size++] = byte < BLANK && !this.#inText ? BLANK : byte;
  }
}
