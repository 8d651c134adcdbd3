import { splitRow } from '../csv/split-row.ts';
import type { Address } from '../ip/address.ts';
import { findAddresses } from '../ip/find-addresses.ts';
import { parseAnyAddress } from '../ip/parse-address.ts';
import { compareAddresses } from '../ip/prefix.ts';
import { isReserved } from '../ip/special-purpose.ts';
import { isRecord } from '../kit/json.ts';
import { Fault, fault } from '../texts/fault.ts';
import type { UnixMs } from '../units.ts';
import { best, bestColumn, columnOf, isMostly, numberOf, rankOf } from './best-column.ts';
import { LINE_FORMATS, type LineFormat, type Which } from './line-format.ts';
import { isTable, type LineLayout, type Place, separatorOf } from './line-layout.ts';
import { chosenOf } from './line-reader.ts';
import { timeOfText } from './time-in.ts';

/** Names under which exporters and loggers write the client's address, best first: Elastic Common Schema, CloudFront, Cloudflare, Caddy, nginx, Suricata, common use. */
const ADDRESS_NAMES: readonly string[] = [
  'client.ip', 'client_ip', 'clientip', 'source.ip', 'remote_ip', 'remote_addr', 'request.client_ip', 'request.remote_ip', 'c-ip', 'src_ip', 'source_ip', 'srcip',
  'properties.clientip', 'calleripaddress', 'ip', 'ip_address', 'ipaddress', 'ip_addr', 'ipaddr', 'address', 'addr', 'client', 'src', 'source', 'host',
]; // biome-ignore format: rows of names

/** Names under which they write the time of an event, best first. */
const TIME_NAMES: readonly string[] = [
  '@timestamp', 'timestamp', 'time', 'datetime', 'date_time', 'ts', 'event_time', 'eventtime', 'time_iso8601', 'time_local', 'edgestarttimestamp', 'created_at', 'date',
]; // biome-ignore format: rows of names

/** Bytes from the beginning of a file that are enough to see how it is laid out. */
export const SAMPLE_BYTES = 256 * 1024;

export interface LayoutWishes {
  /** Undefined: the one that fits. */
  readonly format?: LineFormat | undefined;
  /** Where the address is: the name of a column or member (`client.ip` leads into an object), or the number of a column or word from 1. Undefined: where addresses are. */
  readonly field?: string | undefined;
  /** Which of several addresses in one line of `any` text. */
  readonly which?: Which | undefined;
  /** The clock, where times without a year are wanted. */
  readonly now?: UnixMs;
}

/** Lines of the sample that are looked at. */
const LINES_MAX = 1000;
const ACCESS_LOG = /^\S+ .*\[\d\d\/[A-Za-z]{3}\/\d{4}:\d\d:\d\d:\d\d [+-]\d{4}\] "/;
/** Behind request, status and size: referrer and user agent. */
const COMBINED = /" \d{3} (?:\d+|-) "(?:[^"\\]|\\.)*" "/;

/** Sees how the records of a file are laid out, or returns a fault that names the doubt. */
export function detectLayout(sample: Uint8Array, wishes: LayoutWishes = {}): LineLayout | Fault {
  const lines = new TextDecoder()
    .decode(sample)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .slice(0, LINES_MAX);
  const seen = layoutOf(lines, wishes);
  if (seen instanceof Fault) return seen;
  const layout = wishes.now === undefined ? seen : { ...seen, now: wishes.now };
  if (layout.which !== undefined) return layout;
  const unread = heldBy(lines, layout.format === 'any');
  return unread > 1 ? { ...layout, unread } : layout;
}

function layoutOf(lines: readonly string[], { format, field, which }: LayoutWishes): LineLayout | Fault {
  const open = format === undefined && field === undefined;
  const chosen = format ?? (which === undefined ? formatOf(lines, field) : 'any');
  const any = {
    ...{ format: 'any', address: 0, time: undefined, separator: 0, header: undefined },
    which,
  } as LineLayout;
  if (chosen === 'any') return which === undefined && isListing(lines) ? { ...any, which: 'all' } : any;
  const layout =
    chosen === undefined
      ? unknown()
      : chosen === 'ndjson'
        ? ofObjects(lines, field)
        : isTable({ format: chosen })
          ? ofTable(lines, chosen, field)
          : ofWords(lines, chosen, field);
  if (!(layout instanceof Fault) || !open) return layout;
  // Neither a log nor a table that is known: a word that mostly is an address, else addresses wherever they stand.
  const words = ofWords(lines, 'lines', field);
  const isFirst = (line: string): boolean => {
    const [first] = findAddresses(wordsOf(line)[Number(!(words instanceof Fault) && words.address)] ?? '').addresses;
    const [sought] = chosenOf(findAddresses(line).addresses, 'first');
    return first !== undefined && sought !== undefined && compareAddresses(first, sought) === 0;
  };
  if (isMostly(lines, (line) => line, isFirst)) return words;
  return lines.some((line) => findAddresses(line).addresses.length > 0) ? any : layout;
}

const unknown = (): Fault =>
  fault('no line has an address where it is sought; name the format (--format {formats})', {
    formats: LINE_FORMATS.join(', '),
  });

/** Lines that are lists of addresses and of nothing else, some of more than one. */
const isListing = (lines: readonly string[]): boolean =>
  lines.every((line) => line.startsWith('#') || /^[\s,;|"'0-9a-fA-F:.[\](){}<>/-]*$/.test(line)) &&
  lines.some((line) => findAddresses(line).addresses.length > 1);

/** Addresses on a line of the sample, as most lines have them at least. Where the public one is taken, the others are not missed. */
function heldBy(lines: readonly string[], publicAlone: boolean): number {
  const isMissed = (address: Address): boolean => !publicAlone || !isReserved(address);
  const counts = lines.slice(0, HELD_LINES).map((line) => findAddresses(line).addresses.filter(isMissed).length);
  return counts.toSorted((a, b) => a - b)[counts.length >> 1] ?? 0;
}

const HELD_LINES = 100;

/** Words as WordReader takes them: a text in quotes or brackets is one. */
export const wordsOf = (line: string): readonly string[] =>
  (line.match(/"(?:[^"\\]|\\.)*"|\[(?:[^\]\\]|\\.)*\]|[^ \t]+/g) ?? []).map((word) => word.replace(/^"(.*)"$/, '$1'));

function formatOf(lines: readonly string[], field: string | undefined): LineFormat | undefined {
  const most = (fits: (line: string) => boolean): boolean => 2 * lines.filter(fits).length > lines.length;
  const [first = ''] = lines;
  if (most((line) => /^\s*\{/.test(line))) return 'ndjson';
  if (most((line) => ACCESS_LOG.test(line))) return most((line) => COMBINED.test(line)) ? 'combined' : 'common';
  if (lines.slice(0, HELD_LINES).some((line) => line.startsWith(W3C_FIELDS))) return 'lines';
  if (/^\s*\[/.test(first) || (field === undefined && isListing(lines))) return 'any';
  // A table of one column has no separator.
  if (rankOf(ADDRESS_NAMES, first) >= 0) return 'csv';
  if (most((line) => line.startsWith('#') || isAddress(line))) return 'lines';
  if (first.includes('\t')) return 'tsv';
  if (/[,;]/.test(first)) return 'csv';
  if (most((line) => isAddress(line.trim().split(/\s/)[0]!))) return 'lines';
  return isName(field) ? 'csv' : undefined;
}

/** With a port or without. */
const isAddress = (text: string): boolean =>
  parseAnyAddress(text.trim()) !== undefined ||
  (/^[[\d]/.test(text) && /^(?:[\d.]+|\[[\da-f:.]+\]):\d+$/i.test(text) && findAddresses(text).addresses.length === 1);
const isName = (field: string | undefined): boolean => field !== undefined && numberOf(field) === undefined;

/** Names of the words of W3C logs (IIS, CloudFront); VPC flow logs have such a line without the mark. */
const W3C_FIELDS = '#Fields:';
const WORD_NAMES: readonly string[] = ['c-ip', 'client-ip', 'srcaddr', 'pkt-srcaddr'];
/** Of flow logs: when the first packet came, Unix seconds. */
const FLOW_START = 'start';

function ofWords(lines: readonly string[], format: LineFormat, field: string | undefined): LineLayout | Fault {
  const stated = lines.find((line) => line.startsWith(W3C_FIELDS))?.slice(W3C_FIELDS.length);
  const names = wordsOf(stated ?? lines[0] ?? '');
  const named = (name: string): number => names.findIndex((word) => word.toLowerCase() === name.toLowerCase());
  const known = WORD_NAMES.map(named).find((word) => word >= 0);
  const address = field === undefined ? (known ?? addressWord(lines)) : (numberOf(field) ?? named(field));
  if (address < 0)
    return fault('the words of {format} have no such name: --field takes their number from 1', { format });
  const start = known === undefined ? -1 : named(FLOW_START);
  const time = start < 0 ? undefined : start;
  const layout = { format, address, time, separator: separatorOf(format), header: undefined };
  return stated !== undefined || known !== undefined ? { ...layout, words: names } : layout;
}

/** The first word that is an address in most lines; the first of all where none is. */
function addressWord(lines: readonly string[]): number {
  const rows = lines.filter((line) => !line.startsWith('#')).map(wordsOf);
  const width = Math.min(WORDS_MAX, Math.max(0, ...rows.map(({ length }) => length)));
  const found = [...Array(width).keys()].find((word) => isMostly(rows, (row) => row[word] ?? '', isAddress));
  return found ?? 0;
}

/** Words of a line that are looked at. */
const WORDS_MAX = 40;

function ofTable(lines: readonly string[], format: LineFormat, field: string | undefined): LineLayout | Fault {
  const separator = format === 'csv' ? commaOf(lines[0]) : String.fromCharCode(separatorOf(format));
  const rows = lines.map((line) => splitRow(line.replace(/^\uFEFF/, ''), separator));
  const [first = []] = rows;
  const header = first.some(isAddress) || rows.length === 0 ? undefined : first;
  const address = field === undefined ? addressColumn(rows, header) : columnOf(field, header);
  if (address === undefined)
    return field === undefined
      ? fault('no column has addresses in most rows; name one with --field')
      : fault('there is no column {name}', { name: JSON.stringify(field) });
  const time = bestColumn(
    rows.slice(header === undefined ? 0 : 1),
    header,
    TIME_NAMES,
    (cell) => timeOfText(cell) !== undefined,
  );
  return { format, address, time, separator: separator.charCodeAt(0), header };
}

/** Separator of a CSV file by its first line: spreadsheets of many countries write semicolons. */
export const commaOf = (first = ''): string => (first.split(';').length > first.split(',').length ? ';' : ',');

function addressColumn(
  rows: readonly (readonly string[])[],
  header: readonly string[] | undefined,
): number | undefined {
  if (header === undefined) return bestColumn(rows, header, ADDRESS_NAMES, isAddress);
  // A file that has a header alone has no rows to look at.
  const fits = rows.length === 1 ? () => true : isAddress;
  const column = bestColumn(rows.length === 1 ? rows : rows.slice(1), header, ADDRESS_NAMES, fits);
  return rows.length === 1 && rankOf(ADDRESS_NAMES, header[column ?? 0] ?? '') < 0 ? undefined : column;
}

function ofObjects(lines: readonly string[], field: string | undefined): LineLayout | Fault {
  const objects = lines.flatMap((line) => membersOf(line));
  const paths = [...new Set(objects.flatMap((members) => [...members.keys()]))];
  const pathOf = (names: readonly string[], fits: (value: string) => boolean): Place | undefined => {
    const candidates = paths.filter((path) => isMostly(objects, (members) => members.get(path) ?? '', fits));
    return best(candidates, (path) => rankOf(names, keysOf(path).join('.')))?.split(SEPARATOR);
  };
  const address = field === undefined ? pathOf(ADDRESS_NAMES, isAddress) : namedPath(field, paths);
  if (address === undefined) return fault('no member has addresses in most lines; name one with --field');
  return {
    format: 'ndjson',
    address,
    time: pathOf(TIME_NAMES, (value) => timeOfText(value) !== undefined),
    separator: 0,
    header: undefined,
  };
}

/** Between the keys of a path; a key may hold a dot. */
const SEPARATOR = '\0';
export const keysOf = (path: string): readonly string[] => path.split(SEPARATOR);

/** A key with dots in it takes precedence over keys that lead into objects. */
const namedPath = (field: string, paths: readonly string[]): Place =>
  keysOf(paths.find((path) => keysOf(path).join('.') === field) ?? field.replaceAll('.', SEPARATOR));

/** Objects in objects that are looked into. */
const DEPTH_MAX = 3;

/** Texts and numbers of an object by path; none where the line is not an object. */
export function membersOf(line: string): readonly ReadonlyMap<string, string>[] {
  try {
    const members = new Map<string, string>();
    collect(JSON.parse(line), '', DEPTH_MAX, members);
    return [members];
  } catch {
    // Not JSON: a line without an address.
    return [];
  }
}

function collect(value: unknown, path: string, depth: number, into: Map<string, string>): void {
  if (typeof value === 'string' || typeof value === 'number') into.set(path, String(value));
  if (!isRecord(value) || depth === 0) return;
  for (const [key, member] of Object.entries(value))
    collect(member, path === '' ? key : `${path}${SEPARATOR}${key}`, depth - 1, into);
}
