import { stat } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { isSeparatorLine, splitRow } from '../../../core/csv/split-row.ts';
import { isRecord, parseJson } from '../../../core/kit/json.ts';
import { fault } from '../../../core/texts/said.ts';
import type { RawPhoneRow } from '../../../service/phone/import-phones.ts';
import { openInput } from '../../log-files/open-input.ts';

export const PHONE_FORMATS = ['auto', 'ndjson', 'csv', 'ip1sms', 'list'] as const;
export type PhoneFormat = (typeof PHONE_FORMATS)[number];

export interface PhoneFileOptions {
  readonly format: PhoneFormat;
  readonly columns: ReadonlyMap<string, string>;
  readonly deletions: boolean;
  readonly seenAt: string;
  readonly signal: AbortSignal;
}

const BATCH = 4096;
/**
 * Anyone can read the messages of a number on a public disposable list. Such lists state neither a score nor
 * a first sight.
 */
const DISPOSABLE = { tags: [104], observed_days: 1, merge: true } as const;

type Row = RawPhoneRow | undefined;

export async function* readPhoneFile(path: string, options: PhoneFileOptions): AsyncGenerator<readonly Row[]> {
  const format = options.format === 'auto' ? formatOf(await headOf(path, options)) : options.format;
  yield* format === 'ip1sms' ? ip1sms(path, options) : batches(rowsOf(path, format, options));
}

function rowsOf(
  path: string,
  format: Exclude<PhoneFormat, 'auto' | 'ip1sms'>,
  options: PhoneFileOptions,
): AsyncIterable<Row> {
  const lines = linesOf(path, options);
  if (format === 'ndjson') return map(lines, jsonRow);
  return format === 'csv' ? csv(lines, options.columns) : map(lines, (line) => listRow(line, options));
}

/**
 * Detects the format: an object of numbers and dates is the date list, other objects are NDJSON, a first line
 * with a separator and no digit before it is a CSV header.
 */
function formatOf(head: string): Exclude<PhoneFormat, 'auto'> {
  if (/^\s*\{\s*"\+?\d+"\s*:\s*"\d{4}-/.test(head)) return 'ip1sms';
  if (/^\s*\{/.test(head)) return 'ndjson';
  return /^[^\n\d]*[A-Za-z_][^\n]*[,\t;]/.test(head) || /^"?number"?\s*(?:\r?\n|$)/.test(head) ? 'csv' : 'list';
}

async function headOf(path: string, options: PhoneFileOptions): Promise<string> {
  for await (const chunk of contentOf(path, options)) return chunk.toString('utf8', 0, HEAD_BYTES);
  return '';
}

const HEAD_BYTES = 4096;

type Opening = Pick<PhoneFileOptions, 'signal'>;

async function* contentOf(path: string, { signal }: Opening): AsyncGenerator<Buffer> {
  const { chunks } = await openInput(path, signal);
  try {
    for await (const chunk of chunks) if (chunk.length > 0) yield Buffer.from(chunk);
  } finally {
    await chunks.return(undefined);
  }
}

async function* linesOf(path: string, opening: Opening): AsyncGenerator<string> {
  const input = Readable.from(contentOf(path, opening));
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
    if (line.trim() !== '' && !line.startsWith('#') && !isSeparatorLine(line)) yield line;
}

function jsonRow(line: string): Row {
  const value = parseJson(line); // The parser's message is dropped because it repeats the line.
  return isRecord(value) ? (value as RawPhoneRow) : undefined;
}

const listRow = (line: string, { deletions, seenAt }: PhoneFileOptions): Row => {
  const number = line.trim();
  return deletions ? { number, deleted: true } : { number, last_active: seenAt, ...DISPOSABLE };
};

/** Reads `{"<E.164 without plus>": "<date>"}`. The date is the last sight, and nothing else is known. */
async function* ip1sms(path: string, opening: Opening): AsyncGenerator<readonly Row[]> {
  const list = Object.entries(parseList(await text(contentOf(path, opening))));
  for (let at = 0; at < list.length; at += BATCH)
    yield list
      .slice(at, at + BATCH)
      .map(([number, date]) => ({ number: `+${number}`, last_active: date, ...DISPOSABLE }) as RawPhoneRow);
}

function parseList(text: string): Readonly<Record<string, unknown>> {
  const list = parseJson(text);
  // The parser's message is dropped because it quotes the text.
  if (list === undefined) throw fault('the file is not JSON');
  if (!isRecord(list)) throw fault('the file is not one JSON object of numbers and dates');
  return list;
}

/**
 * Reads RFC 4180 lines. The separator is the first of comma, tab and semicolon that the header contains. A
 * quoted cell must not span lines.
 */
async function* csv(lines: AsyncIterable<string>, columns: ReadonlyMap<string, string>): AsyncGenerator<Row> {
  let header: readonly string[] | undefined;
  let separator = ',';
  for await (const line of lines) {
    if (header === undefined) {
      separator = [',', '\t', ';'].find((mark) => line.includes(mark)) ?? ',';
      const found = splitRow(line.replace(/^\ufeff/, ''), separator);
      const ours = new Map([...columns].map(([our, theirs]) => [theirs, our]));
      for (const theirs of ours.keys())
        if (!found.includes(theirs)) throw fault('the file has no column {name}', { name: JSON.stringify(theirs) });
      header = found.map((name) => ours.get(name) ?? name);
      if (!header.includes('number')) throw fault('the file has no column "number"; name it with --column number=NAME');
      continue;
    }
    const values = splitRow(line, separator);
    yield values.length > header.length
      ? undefined
      : Object.fromEntries(values.map((value, index) => [header?.[index] ?? '', value]));
  }
}

async function* map(lines: AsyncIterable<string>, row: (line: string) => Row): AsyncGenerator<Row> {
  for await (const line of lines) yield row(line);
}

async function* batches(rows: AsyncIterable<Row>): AsyncGenerator<readonly Row[]> {
  let batch: Row[] = [];
  for await (const row of rows) {
    batch.push(row);
    if (batch.length === BATCH) {
      yield batch;
      batch = [];
    }
  }
  if (batch.length > 0) yield batch;
}

export const fileTime = async (path: string): Promise<number> => (await stat(path)).mtimeMs;
