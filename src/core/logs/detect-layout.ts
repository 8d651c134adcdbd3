import type { SeenAddress } from '../../contract/traffic-summary.ts';
import { sameName } from '../csv/column-names.ts';
import { isSeparatorLine, splitRow } from '../csv/split-row.ts';
import type { Address } from '../ip/address.ts';
import { findAddresses } from '../ip/find-addresses.ts';
import { formatAddress } from '../ip/format-address.ts';
import { compareAddresses } from '../ip/prefix.ts';
import { isReserved } from '../ip/special-purpose.ts';
import { parseRecord } from '../kit/json.ts';
import { Fault, fault } from '../texts/said.ts';
import type { UnixMs } from '../units.ts';
import { type AddressColumns, addressColumns, equalFault, isAddress } from './address-columns.ts';
import { bestColumn, columnOf, isMostly, numberOf } from './best-column.ts';
import {
  type Candidate,
  candidatesIn,
  candidatesInText,
  chooseCandidate,
  isOfFormat,
  seenOf,
} from './candidates-in-text.ts';
import { CLIENT_RANK, clientRank } from './client-rank.ts';
import { jsonDocuments, recordsOf } from './json-records.ts';
import { TIME_NAMES } from './json-time.ts';
import { LINE_FORMATS, type LineFormat, type Which } from './line-format.ts';
import { lineHeader } from './line-header.ts';
import { isTable, type LineLayout, separatorOf } from './line-layout.ts';
import { chooseAddresses } from './line-reader.ts';
import { isClock, isDate } from './merge-clock.ts';
import { nearColumn } from './near-ends.ts';
import { textEncoding } from './plain-text.ts';
import { lineTime, timeOfText } from './time-in.ts';

export const SAMPLE_BYTES = 256 * 1024;

export interface LayoutOptions {
  readonly format?: LineFormat | undefined;
  /**
   * The place of the address: the name of a column or member (`client.ip` leads into an object), or the
   * number of a column or word from 1. Undefined finds the client's.
   */
  readonly field?: string | undefined;
  readonly which?: Which | undefined;
  readonly now?: UnixMs;
}

/** Records of text and JSON cost more, so fewer of them are examined. */
const LINES_MAX = 1000;
const RECORDS_MAX = 200;
const ACCESS_LOG = /^\S+ .*\[\d\d\/[A-Za-z]{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] "/;
const COMBINED = /" \d{3} (?:\d+|-) "(?:[^"\\]|\\.)*" "/;

type Seen = LineLayout | Fault;

/** Recognises how the records of a file are laid out, or returns a fault that names the doubt. */
export function detectLayout(sample: Uint8Array, options: LayoutOptions = {}): Seen {
  const text = new TextDecoder(textEncoding(sample)).decode(sample);
  const isJson = options.format === undefined || options.format === 'ndjson';
  const documents = isJson ? jsonDocuments(text) : undefined;
  const lines = (documents === undefined ? text.split(/\r\n|[\r\n]/) : recordsOf(text, documents))
    .filter((line) => line.trim() !== '')
    .slice(0, LINES_MAX);
  const statesSeparator = isSeparatorLine(lines[0] ?? '');
  if (statesSeparator) lines.shift();
  const seen = documents === undefined || lines.length === 0 ? layoutOf(lines, options) : ofObjects(lines, options);
  if (seen instanceof Fault) return seen;
  return {
    ...seen,
    ...(statesSeparator && isTable(seen) && { statesSeparator }),
    ...(documents !== undefined && { documents }),
    ...(options.now !== undefined && { now: options.now }),
  };
}

function layoutOf(lines: readonly string[], options: LayoutOptions): Seen {
  const { format, field, which } = options;
  const chosen = format ?? (which === undefined ? formatOf(lines, field) : 'any');
  if (chosen === 'ndjson') return ofObjects(lines, options);
  if (chosen === 'any' && which !== undefined) return { ...ANY, which };
  if (chosen === 'any' || (chosen ?? field) === undefined) return ofText(lines, field);
  if (chosen === undefined) return unknown();
  const layout = isTable({ format: chosen }) ? ofTable(lines, chosen, field) : ofWords(lines, chosen, field);
  // Text with commas is not a table, but a table with equally good columns is one.
  const isUnclear = (format ?? field) === undefined && layout instanceof Fault && layout.text === NO_COLUMN;
  return isUnclear && lines.some((line) => candidatesInText(line).length > 0) ? ofText(lines, undefined) : layout;
}

const ANY: LineLayout = { format: 'any', address: undefined, time: undefined, separator: 0, header: undefined };

const unknown = (): Fault =>
  fault('no line has an address where it is sought; name the format (--format {formats})', {
    formats: LINE_FORMATS.join(', '),
  });

/** Between addresses stand ports, lengths of prefixes and signs; another number makes a table. */
const OF_ADDRESS = /\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5}|\/\d{1,3})?|(?:[\da-f]{0,4}:){2,}[\da-f:.]*(?:\/\d{1,3})?/gi;

const isListing = (lines: readonly string[]): boolean =>
  lines.every(
    (line) =>
      line.startsWith('#') ||
      /^[\s,;|"':.[\](){}<>/-]*$/.test(line.replace(/^\s*\d{1,4}[.)] /, '').replace(OF_ADDRESS, '')),
  ) && lines.some((line) => findAddresses(line).addresses.length > 1);

/** Splits a line as WordReader does: a text in quotes or brackets is one word. */
export const wordsOf = (line: string): readonly string[] =>
  (line.match(/"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[^ \t]+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'));

function formatOf(lines: readonly string[], field: string | undefined): LineFormat | undefined {
  const most = (fits: (line: string) => boolean): boolean => 2 * lines.filter(fits).length > lines.length;
  if (most(isObject)) return lines.every(isObject) ? 'ndjson' : 'any';
  if (most((line) => ACCESS_LOG.test(line) && !hasSender(line)))
    return most((line) => COMBINED.test(line)) ? 'combined' : 'common';
  const stated = statedNames(lines);
  if (stated !== undefined) return stated.separator === ',' ? 'csv' : 'lines';
  if (field === undefined && isListing(lines)) return 'any';
  const body = lines.filter((line) => !line.startsWith('#'));
  const first = (body[0] ?? '').replace(/^\uFEFF/, '');
  const known = body.slice(0, RECORDS_MAX);
  if (field === undefined && 2 * known.filter(isOfFormat).length > known.length) return undefined;
  const separator = separatorIn(body);
  if (
    body.length === lines.length &&
    !/[\s,;]/.test(first.trim()) &&
    clientRank([first]) <= CLIENT_RANK.address &&
    first !== ''
  )
    return 'csv';
  if (most((line) => line.startsWith('#') || (!/[\s,;]/.test(line.trim()) && isAddress(line)))) return 'lines';
  if (separator !== undefined) return separator;
  if (most((line) => isFirstWord(line))) return 'lines';
  if (isName(field)) return 'csv';
  return undefined;
}

const isObject = (line: string): boolean => /^\uFEFF?\s*\{/.test(line);
const hasSender = (line: string): boolean => lineHeader(line)?.isCertain === true;
const isFirstWord = (line: string): boolean => isAddress((wordsOf(line)[0] ?? '').replace(/,$/, ''));
const isName = (field: string | undefined): boolean => field !== undefined && numberOf(field) === undefined;

const HEADER_LINES = 100;
/** W3C logs (IIS, CloudFront, Exchange) and Zeek write such a line. */
const STATED = /^\uFEFF?#fields(?::|\t)\s*/i;

interface StatedNames {
  readonly names: readonly string[];
  readonly separator: ',' | ' ';
  /** Flow logs of AWS begin with the names, without a mark. */
  readonly isFirst: boolean;
}

function statedNames(lines: readonly string[]): StatedNames | undefined {
  const text = lines
    .slice(0, HEADER_LINES)
    .find((line) => STATED.test(line))
    ?.replace(STATED, '')
    .trim();
  if (text !== undefined) {
    const separator = /^[^\s,]+,/.test(text) ? ',' : ' ';
    return { names: text.split(separator === ',' ? ',' : /\s+/), separator, isFirst: false };
  }
  const [names = [], next] = lines.slice(0, 2).map(wordsOf);
  const isHeader =
    names.every((name) => /^[a-z][\w.-]*$/i.test(name)) &&
    names.some((name) => OF_CLIENT.test(name) && clientRank([name]) <= CLIENT_RANK.remote);
  return names.length > 1 && isHeader && (next ?? names).length === names.length
    ? { names, separator: ' ', isFirst: true }
    : undefined;
}

const OF_CLIENT = /ip|addr|orig_h/i;

/** Finds the separator of a table whose first row is a header, or has as many cells as most rows. */
function separatorIn(rows: readonly string[]): 'csv' | 'tsv' | undefined {
  const [first = ''] = rows;
  const separator = first.includes('\t') ? '\t' : csvSeparator(first);
  const cells = splitRow(first, separator);
  if (cells.length < 2) return undefined;
  const isHeader =
    cells.every((cell) => cell.length <= NAME_MAX && !isAddress(cell)) &&
    cells.some((cell) => /^[\s"]*[a-z_@#]/i.test(cell));
  const few = rows.slice(0, HEADER_LINES);
  const isEven = 2 * few.filter((row) => splitRow(row, separator).length === cells.length).length > few.length;
  return isHeader || isEven ? (separator === '\t' ? 'tsv' : 'csv') : undefined;
}

const NAME_MAX = 60;

/** Spreadsheets of many countries write semicolons and some exports bars, so the first line decides. */
export const csvSeparator = (first = ''): string =>
  [',', ';', '|'].toSorted((a, b) => first.split(b).length - first.split(a).length)[0]!;

function ofWords(lines: readonly string[], format: LineFormat, field: string | undefined): Seen {
  const stated = statedNames(lines);
  const names = stated?.names ?? wordsOf(lines[0] ?? '');
  const rows = lines
    .slice(stated?.isFirst ? 1 : 0)
    .filter((line) => !line.startsWith('#'))
    .map(wordsOf);
  const chosen =
    field === undefined
      ? undefined
      : (numberOf(field) ?? names.findIndex((name) => name.toLowerCase() === field.toLowerCase()));
  if (chosen === -1)
    return fault('the words of {format} have no such name: --field takes their number from 1', { format });
  const found = chosen === undefined ? clientWord(rows, stated?.names, format) : { column: chosen, doubt: undefined };
  if (found instanceof Fault) return found;
  return {
    ...{ format, address: found?.column ?? 0, separator: separatorOf(format), header: undefined },
    ...(stated === undefined ? { time: undefined } : timeColumns(rows, names)),
    ...(field !== undefined && { isNamed: true as const }),
    ...(stated !== undefined && { words: names }),
    ...(found?.doubt !== undefined && { doubt: found.doubt }),
  };
}

/**
 * The names of the words decide; in an access log the word before user and time; otherwise the first word
 * that is an address in most lines.
 */
function clientWord(
  rows: readonly (readonly string[])[],
  names: readonly string[] | undefined,
  format: LineFormat,
): AddressColumns | Fault | undefined {
  if (names !== undefined) return addressColumns(rows, names);
  const width = Math.min(WORDS_MAX, Math.max(0, ...rows.map(({ length }) => length)));
  const words = [...Array(width).keys()].filter((word) => isMostly(rows, (row) => row[word] ?? '', isListed));
  const isAccess = format === 'common' || format === 'combined';
  const before = words.filter((word) => isMostly(rows, (row) => row[word + 3] ?? '', isAccessTime));
  let column = (isAccess ? before[0] : undefined) ?? words[0];
  if (column === undefined) return undefined;
  while (
    isMostly(
      rows,
      (row) => row[column! - 1] ?? '',
      (word) => word.endsWith(',') && isListed(word),
    )
  )
    column--;
  const others = words.filter((word) => word !== column && !(isAccess && word < column) && isOther(rows, word, column));
  const keyed = rows.flatMap((row) => keyedAddress(row, column!) ?? []).slice(0, 1);
  if (others.length + keyed.length === 0) return { column, doubt: undefined };
  const seen = [column, ...others].map((word) => ({
    name: String(word + 1),
    example: exampleOf(rows, word),
  }));
  // The reader takes the public address where a proxy with a private one stands in front.
  const [first] = seen;
  const isPrivate = rows.every((row) => !isPublic(listAt(row, column!)));
  const [taken, ...rest] = isPrivate && seen.length > 1 ? [...seen.slice(1), first!] : seen;
  return { column, doubt: { taken: taken!, others: [...rest, ...keyed], lines: 1 } };
}

/** A list with blanks continues in the words after its first one. */
function listAt(row: readonly string[], word: number): string {
  let text = row[word] ?? '';
  for (let next = word + 1; text.endsWith(',') && next < row.length; next++) text += ` ${row[next]!}`;
  return text;
}

const addressIn = (text: string): Address | undefined => chooseAddresses(findAddresses(text).addresses, 'first')[0];
const isPublic = (text: string): boolean => {
  const address = addressIn(text);
  return address !== undefined && !isReserved(address);
};

function exampleOf(rows: readonly (readonly string[])[], word: number): string {
  const texts = rows.map((row) => row[word] ?? '').filter(isListed);
  const lists = rows.map((row) => listAt(row, word));
  const address = addressIn(lists.find(isPublic) ?? texts[0]!);
  return address === undefined ? texts[0]! : formatAddress(address);
}

/** Finds `xff="9.9.9.9"` after the word that is taken, in a log whose form has no such names. */
function keyedAddress(row: readonly string[], taken: number): SeenAddress | undefined {
  const word = row.find((one, at) => at > taken && /^[\w-]+=/.test(one) && isPublic(one));
  if (word === undefined) return undefined;
  const example = formatAddress(addressIn(word)!);
  return example === (row[taken] ?? '') ? undefined : { name: '', example };
}

const WORDS_MAX = 40;
const isListed = (word: string): boolean => isAddress(word.replace(/,$/, ''));
const isAccessTime = (word: string): boolean => /^\[\d\d\/[A-Za-z]{3}\/\d{4}:/.test(word);
/** Requires an address that differs from the one taken and is public in some line. */
const isOther = (rows: readonly (readonly string[])[], word: number, taken: number): boolean =>
  rows.some((row) => {
    const [read, other] = [addressIn(listAt(row, taken)), addressIn(row[word] ?? '')];
    return other !== undefined && !isReserved(other) && (read === undefined || compareAddresses(read, other) !== 0);
  });

const holdsAddress = (cell: string): boolean => findAddresses(cell).addresses.length > 0;

const NO_COLUMN = 'no column has addresses in most rows; name one with --field';

function ofTable(lines: readonly string[], format: LineFormat, field: string | undefined): Seen {
  const stated = statedNames(lines);
  const separator =
    format === 'csv' ? (stated === undefined ? csvSeparator(lines[0]) : ',') : String.fromCharCode(separatorOf(format));
  const rows = lines
    .filter((line) => stated === undefined || !line.startsWith('#'))
    .map((line) => splitRow(line.replace(/^\uFEFF/, ''), separator));
  const [first = []] = rows;
  const header = stated !== undefined || first.some(holdsAddress) || rows.length === 0 ? undefined : first;
  const names = stated?.names ?? header;
  const body = rows.slice(header === undefined ? 0 : 1);
  const found =
    field === undefined ? addressColumns(body, names) : { column: columnOf(field, names), doubt: undefined };
  if (found instanceof Fault) return found;
  if (found?.column === undefined)
    return field === undefined ? fault(NO_COLUMN) : fault('there is no column {name}', { name: JSON.stringify(field) });
  return {
    ...{ format, address: found.column, separator: separator.charCodeAt(0), header },
    ...timeColumns(body, names),
    ...(field === undefined && names !== undefined && nearColumn(names, found.column)),
    ...(found.doubt !== undefined && { doubt: found.doubt }),
  };
}

/** The time of day may have a column of its own, next to that of the date. */
function timeColumns(
  rows: readonly (readonly string[])[],
  names: readonly string[] | undefined,
): Pick<LineLayout, 'time' | 'clock'> {
  const time = timeColumn(rows, names?.map(sameName));
  if (time === undefined || !isMostly(rows, (row) => row[time] ?? '', isDate)) return { time };
  const width = Math.max(0, ...rows.map(({ length }) => length));
  const [clock] = [...Array(width).keys()]
    .filter((column) => isMostly(rows, (row) => row[column] ?? '', isClock))
    .toSorted((a, b) => Math.abs(a - time - 1) - Math.abs(b - time - 1));
  return { time, ...(clock !== undefined && { clock }) };
}

const OF_NO_EVENT = /expir|valid|until|birth|renew/;

/** A number under a name that says nothing of time is an identifier. */
const timeColumn = (rows: readonly (readonly string[])[], names: readonly string[] | undefined): number | undefined =>
  bestColumn(rows, names, TIME_NAMES, (cell, column) => {
    if (timeOfText(cell) === undefined && !isDate(cell)) return false;
    const name = names?.[column];
    return name === undefined || TIME_NAMES.includes(name) || !(OF_NO_EVENT.test(name) || /^\s*\d+\s*$/.test(cell));
  });

function ofObjects(lines: readonly string[], { field }: LayoutOptions): Seen {
  const layout = { ...ANY, format: 'ndjson' } as const;
  if (field !== undefined) return { ...layout, address: field.split('.') };
  const found = judged(
    lines.slice(0, RECORDS_MAX).map((line) => candidatesIn(parseRecord(line))),
    layout,
    true,
  );
  return found ?? fault('no member has addresses in most lines; name one with --field');
}

function ofText(lines: readonly string[], field: string | undefined): Seen {
  if (field !== undefined) return { ...ANY, address: field.split('.') };
  if (isListing(lines)) return { ...ANY, which: 'all' };
  const few = lines.slice(0, RECORDS_MAX);
  const isLog = few.some((line) => lineHeader(line) !== undefined || lineTime(line, undefined) !== undefined);
  return judged(few.map(candidatesInText), ANY, isLog) ?? unknown();
}

/**
 * Chooses the names to take in such records.
 * @returns undefined where none of them has an address
 */
function judged(records: readonly (readonly Candidate[])[], layout: LineLayout, isLog: boolean): Seen | undefined {
  const ranks = records.flatMap((candidates) => candidates.map(({ rank }) => rank));
  if (ranks.length === 0) return undefined;
  const best = isLog ? CLIENT_RANK.unknown : CLIENT_RANK.link;
  const rankMax = ranks.some((rank) => rank <= best) ? best : CLIENT_RANK.other;
  const choices = records.flatMap((candidates) => chooseCandidate(candidates, rankMax) ?? []);
  if (choices.length === 0) return undefined;
  const equal = choices.filter(({ taken, rivals }) => rivals.length > 0 && taken.rank >= CLIENT_RANK.forwarded);
  if (2 * equal.length > choices.length) return equalFault(seenOf(equal[0]!.taken), seenOf(equal[0]!.rivals[0]!));
  return { ...layout, rankMax };
}
