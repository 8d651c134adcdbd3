import { ADDRESS_NAMES, FIRST_ADDRESS_NAMES, LAST_ADDRESS_NAMES, sameName } from '../../core/csv/column-names.ts';
import { readHeader, rowsBySeparator, splitRow } from '../../core/csv/split-row.ts';
import { type Address, carriesIpv4 } from '../../core/ip/address.ts';
import { parseAsWritten } from '../../core/ip/parse-address.ts';
import { compareAddresses, lastAddress, parsePrefix } from '../../core/ip/prefix.ts';
import { plainText } from '../../core/logs/plain-text.ts';
import { bestOf, LAYER_FIELDS, type LayerField, type RawRecord } from '../../core/place/layer-record.ts';
import { type Said, said } from '../../core/texts/said.ts';
import { RangeRows } from '../../engine/ranges/range-rows.ts';
import type { RangeSet4, RangeSet6 } from '../../engine/ranges/range-set.ts';
import { type Families, type LayerData, LayerFileError, wants } from './layer-data.ts';
import { RecordTable } from './record-table.ts';

type Column = 'first' | 'last' | 'network' | LayerField | undefined;

/** The first of several columns that hold one field with equal right counts. */
interface Layout {
  readonly width: number;
  readonly range: { readonly first: number; readonly last: number } | { readonly network: number };
  readonly fields: readonly (readonly [LayerField, number])[];
  /** A row without any field asks that its prefix is not located (RFC 8805 section 2.1.2). */
  readonly isGeofeed?: true;
}

/** Layers are about addresses and networks; a `source` or an `indicator` is a column of lists of sightings. */
const [ADDRESSES = [], NETWORKS = []] = ADDRESS_NAMES;
const RANGE_HEADERS = new Map<string, 'first' | 'last' | 'network'>([
  ...FIRST_ADDRESS_NAMES.map((name) => [name, 'first'] as const),
  ...LAST_ADDRESS_NAMES.map((name) => [name, 'last'] as const),
  ...[...NETWORKS, ...ADDRESSES].map((name) => [name, 'network'] as const),
]);
const FIELD_HEADERS = new Map(
  Object.entries(LAYER_FIELDS).flatMap(([field, names]) =>
    names.map((name, rank) => [sameName(name), [field as LayerField, rank]] as const),
  ),
);

function layoutOf(columns: readonly Column[], rank: (index: number) => number = () => 0): Layout | undefined {
  const [first, last, network] = (['first', 'last', 'network'] as const).map((part) => columns.indexOf(part));
  const range = first! >= 0 && last! >= 0 ? { first: first!, last: last! } : { network: network! };
  if ('network' in range && range.network < 0) return undefined;
  const fields = columns
    .map((column, index) => [column, index] as const)
    .filter(
      (entry): entry is readonly [LayerField, number] =>
        entry[0] !== undefined && entry[0] !== 'first' && entry[0] !== 'last' && entry[0] !== 'network',
    )
    .sort(([, a], [, b]) => rank(a) - rank(b));
  return { width: 1 + columns.findLastIndex((column) => column !== undefined), range, fields };
}

/** RFC 8805 section 2.1.1: prefix, country, region (ISO 3166-2), city, postal code. */
export const GEOFEED: Layout = { ...layoutOf(['network', 'country', 'region', 'city'])!, isGeofeed: true };

function layoutByNames(names: readonly string[]): Layout | undefined {
  const same = names.map(sameName);
  return layoutOf(
    same.map((name) => RANGE_HEADERS.get(name) ?? FIELD_HEADERS.get(name)?.[0]),
    (index) => FIELD_HEADERS.get(same[index]!)?.[1] ?? 0,
  );
}

const KNOWN_FILES: readonly {
  readonly is: (cells: readonly string[]) => boolean;
  readonly columns: readonly Column[];
}[] = [
  // ip-location-db and DB-IP, AS numbers.
  {
    is: (cells) => [3, 4].includes(cells.length) && isNumber(cells[2]!) && !isCode(cells[3] ?? ''),
    columns: ['first', 'last', 'asn', 'asName'],
  },
  // iptoasn: the country is where the AS is registered, which is not the place of its addresses.
  {
    is: (cells) => cells.length === 5 && isNumber(cells[2]!) && (isCode(cells[3]!) || cells[3] === 'None'),
    columns: ['first', 'last', 'asn', undefined, 'asName'],
  },
  // IP2Location: DB1, DB3, DB5, DB9 and DB11, each the beginning of the next. The last column of DB11 is an
  // offset from UTC.
  {
    is: (cells) => [4, 6, 8, 9].includes(cells.length) && isCode(cells[2]!) && !/^[A-Z]{2}$/.test(cells[3]!),
    columns: ['first', 'last', 'country', undefined, 'region', 'city', 'lat', 'lon'],
  },
  {
    is: (cells) => cells.length === 10 && isCode(cells[2]!) && /^(-|[+-]\d\d:\d\d)$/.test(cells[9]!),
    columns: ['first', 'last', 'country', undefined, 'region', 'city', 'lat', 'lon'],
  },
  // DB-IP, cities: a continent precedes the country.
  {
    is: (cells) => cells.length === 8 && isCode(cells[2]!) && isCode(cells[3]!),
    columns: ['first', 'last', undefined, 'country', 'region', 'city', 'lat', 'lon'],
  },
  { is: (cells) => cells.length === 3 && isCode(cells[2]!), columns: ['first', 'last', 'country'] },
  {
    is: (cells) => cells.length > 3 && isCode(cells[2]!),
    columns: ['first', 'last', 'country', 'region', undefined, 'city', undefined, 'lat', 'lon', 'tz'],
  },
];

const isCode = (cell: string): boolean => /^([A-Za-z]{2}|-)$/.test(cell);

function layoutByShape(cells: readonly string[]): Layout | undefined {
  if (rangeBetween(cells[0]!, cells[1] ?? '', false) !== undefined) {
    const known = KNOWN_FILES.find(({ is }) => is(cells));
    return known && layoutOf(known.columns);
  }
  const isGeofeed = cells.length >= 2 && parsePrefix(cells[0]!) !== undefined && /^([A-Za-z]{2})?$/.test(cells[1]!);
  return isGeofeed ? GEOFEED : undefined;
}

const BAD_ROWS_MAX = 0.001;

/**
 * Reads a CSV file. Columns come from `given`, else from its header, else from the shape of the first row.
 * Rows may nest and overlap: the more specific one wins. Lines that start with # are comments.
 * @throws LayerFileError naming the line; a file with more bad rows than `BAD_ROWS_MAX` is refused
 */
export function readCsv(name: string, bytes: Buffer, families: Families, given?: Layout): LayerData {
  const plain = bufferOf(plainText(bytes));
  const reader = new LineReader(plain);
  let rows: CsvRows | undefined;
  for (let text = reader.next(); text !== undefined; text = reader.next()) {
    if (text === '' || text.startsWith('#')) continue;
    if (rows === undefined) {
      const form = formOf(text, given);
      if (form === undefined)
        throw new LayerFileError(name, 'no header with network, or start and end, and no known form without one', {
          line: reader.line,
        });
      const numbersAreIpv6 = 'first' in form.layout.range && holdsIpv6Numbers(plain);
      rows = new CsvRows(name, families, form, numbersAreIpv6);
      if (form.isHeader) continue;
    }
    rows.add(text, reader.line);
  }
  if (rows === undefined) throw new LayerFileError(name, 'holds no rows');
  return rows.finish();
}

interface Form {
  readonly layout: Layout;
  readonly separator: string;
  readonly isHeader: boolean;
}

function formOf(line: string, given: Layout | undefined): Form | undefined {
  const header = given === undefined ? readHeader(line, (names) => layoutByNames(names) !== undefined) : undefined;
  if (header !== undefined)
    return { layout: layoutByNames(header.names)!, separator: header.separator, isHeader: true };
  const rows = rowsBySeparator(line);
  if (given !== undefined) {
    const [row] = rows.toSorted((a, b) => b.names.length - a.names.length);
    return { layout: given, separator: row!.separator, isHeader: false };
  }
  for (const { separator, names } of rows) {
    const layout = layoutByShape(names);
    if (layout !== undefined) return { layout, separator, isHeader: false };
  }
  return undefined;
}

const bufferOf = ({ buffer, byteOffset, length }: Uint8Array): Buffer => Buffer.from(buffer, byteOffset, length);

class CsvRows {
  readonly #name: string;
  readonly #families: Families;
  readonly #layout: Layout;
  readonly #separator: string;
  readonly #numbersAreIpv6: boolean;
  readonly #rows4: RangeRows;
  readonly #rows6: RangeRows;
  readonly #table = new RecordTable();
  readonly #byCells = new Map<string, number>();
  #rows = 0;
  #badRows = 0;
  #firstBad: { readonly why: Said; readonly line: number } | undefined;

  constructor(name: string, families: Families, { layout, separator }: Form, numbersAreIpv6: boolean) {
    this.#name = name;
    this.#families = families;
    this.#layout = layout;
    this.#separator = separator;
    this.#numbersAreIpv6 = numbersAreIpv6;
    this.#rows4 = new RangeRows(4, wants(families, 4) ? 1 << 16 : 1);
    this.#rows6 = new RangeRows(6, wants(families, 6) ? 1 << 16 : 1);
  }

  add(text: string, line: number): void {
    this.#rows++;
    const cells = splitRow(text, this.#separator, this.#layout.width);
    const range = this.#rangeOf(cells);
    if (range === undefined) this.#noteBad(said('row has no readable range'), line);
    else if (compareAddresses(...range) > 0) this.#noteBad(said('range ends before it starts'), line);
    else if (wants(this.#families, range[0].family)) this.#addRange(range, this.#recordOf(cells));
  }

  #addRange([first, last]: readonly [Address, Address], id: number): void {
    if (first.family === 4) this.#rows4.add4(first.w0, last.w0, id);
    else this.#rows6.add6([first.w0, first.w1, first.w2, first.w3], [last.w0, last.w1, last.w2, last.w3], id);
  }

  #rangeOf(cells: readonly string[]): readonly [Address, Address] | undefined {
    const { range } = this.#layout;
    if ('first' in range) return rangeBetween(cells[range.first] ?? '', cells[range.last] ?? '', this.#numbersAreIpv6);
    const prefix = parsePrefix(cells[range.network] ?? '');
    return prefix && [prefix, lastAddress(prefix)];
  }

  #recordOf(cells: readonly string[]): number {
    let said = '';
    for (const [, index] of this.#layout.fields) said += `${cells[index] ?? ''}\n`;
    const known = this.#byCells.get(said);
    if (known !== undefined && known >= 0) return known;
    const strange = this.#table.strangeCountries;
    const raw = rawFrom(cells, this.#layout);
    const before = strange.total;
    const id = this.#table.add(raw);
    // A row without its country is read again each time, so that every one is counted.
    this.#byCells.set(said, strange.total > before ? -1 : id);
    return id;
  }

  #noteBad(why: Said, line: number): void {
    this.#badRows++;
    this.#firstBad ??= { why, line };
  }

  finish(): LayerData {
    if (this.#firstBad !== undefined && this.#badRows > BAD_ROWS_MAX * this.#rows)
      throw new LayerFileError(
        this.#name,
        said('{bad} of {rows:row is|rows are} bad, the first: {why}', {
          bad: this.#badRows,
          rows: this.#rows,
          why: this.#firstBad.why,
        }),
        { line: this.#firstBad.line },
      );
    return {
      ...(this.#rows4.length > 0 && { v4: this.#rows4.partition() as RangeSet4 }),
      ...(this.#rows6.length > 0 && { v6: this.#rows6.partition() as RangeSet6 }),
      ...this.#table.finish(this.#badRows),
    };
  }
}

function rawFrom(cells: readonly string[], { fields, isGeofeed }: Layout): RawRecord {
  const raw: RawRecord = {};
  for (const [field, index] of fields) {
    const cell = cells[index];
    if (cell !== undefined && cell !== '') raw[field] = bestOf(field, raw[field], cell);
  }
  const says = raw.country !== undefined && !/^zz$/i.test(String(raw.country));
  return isGeofeed === true && !says && raw.region === undefined && raw.city === undefined ? { unlocated: true } : raw;
}

function rangeBetween(from: string, to: string, numbersAreIpv6: boolean): readonly [Address, Address] | undefined {
  const [first, last] = [wordsOf(from), wordsOf(to)];
  if (first === undefined || last === undefined) return undefined;
  const isIpv6 = first.family === 6 || last.family === 6 || (numbersAreIpv6 && isNumber(from) && isNumber(to));
  if (!isIpv6) return [first, last];
  if (first.family !== last.family && !(isNumber(from) && isNumber(to))) return undefined;
  const [a, b] = [asIpv6(first), asIpv6(last)];
  return carriesIpv4(a.w0, a.w1, a.w2) && carriesIpv4(b.w0, b.w1, b.w2) && a.w0 === b.w0
    ? [ipv4Of(a), ipv4Of(b)]
    : [a, b];
}

const isNumber = (cell: string): boolean => /^\d{1,39}$/.test(cell);
const asIpv6 = (address: Address): Address =>
  address.family === 6 ? address : { family: 6, w0: 0, w1: 0, w2: 0, w3: address.w0 };
const ipv4Of = ({ w3 }: Address): Address => ({ family: 4, w0: w3, w1: 0, w2: 0, w3: 0 });

function wordsOf(cell: string): Address | undefined {
  if (!isNumber(cell)) return parseAsWritten(cell);
  if (cell.length < 10) return { family: 4, w0: Number(cell), w1: 0, w2: 0, w3: 0 };
  const value = BigInt(cell);
  if (value >> 128n) return undefined;
  const word = (shift: bigint): number => Number((value >> shift) & 0xffff_ffffn);
  return value >> 32n
    ? { family: 6, w0: word(96n), w1: word(64n), w2: word(32n), w3: word(0n) }
    : { family: 4, w0: word(0n), w1: 0, w2: 0, w3: 0 };
}

/**
 * Returns whether a line begins with two whole numbers, one of them past the last IPv4 address. Then all
 * numbers of the file are IPv6 addresses.
 */
function holdsIpv6Numbers(bytes: Buffer): boolean {
  const reader = new LineReader(bytes);
  for (let text = reader.next(); text !== undefined; text = reader.next()) {
    const [, first, last] = /^"?(\d+)"?[,;\t|]"?(\d+)"?(?:[,;\t|]|$)/.exec(text) ?? [];
    if (first !== undefined && (isPastIpv4(first) || isPastIpv4(last!))) return true;
  }
  return false;
}

const isPastIpv4 = (digits: string): boolean => digits.length > 10 || (digits.length === 10 && digits > '4294967295');

class LineReader {
  readonly #bytes: Buffer;
  #at = 0;
  line = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  next(): string | undefined {
    if (this.#at >= this.#bytes.length) return undefined;
    let end = this.#bytes.indexOf(10, this.#at);
    if (end < 0) end = this.#bytes.length;
    const text = this.#bytes.toString('utf8', this.#at, end).trim();
    this.#at = end + 1;
    this.line++;
    return text;
  }
}
