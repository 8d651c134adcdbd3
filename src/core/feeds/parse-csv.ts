import type { RiskType } from '../../contract/risk.ts';
import { csvCell } from '../csv/csv-cell.ts';
import { CsvFields } from '../csv/csv-fields.ts';
import type { Address } from '../ip/address.ts';
import { compareAddresses, prefixesOfRange } from '../ip/prefix.ts';
import { countryCode } from '../place/country-code.ts';
import type { Column, CsvFormat } from './feed.ts';
import { readTime } from './read-time.ts';
import type { RowBuilder } from './row-builder.ts';

interface Columns {
  readonly ip: number;
  readonly end: number;
  readonly time: number;
  readonly firstTime: number;
  readonly pool: number;
  readonly keep: number;
  readonly drop: number;
  readonly types: number;
  readonly country: number;
  readonly region: number;
  readonly city: number;
}

function resolveColumns(format: CsvFormat, header: readonly string[] | undefined): Columns | undefined {
  let missing = false;
  const find = (column: Column | undefined): number => {
    if (column === undefined) return -1;
    const index =
      typeof column === 'number' ? column : (header?.findIndex((name) => name.toLowerCase() === column) ?? -1);
    if (index < 0) missing = true;
    return index;
  };
  const columns = {
    ip: find(format.ip),
    end: find(format.end),
    time: find(format.time),
    firstTime: find(format.firstTime),
    pool: find(format.pool),
    keep: find(format.keep?.column),
    drop: find(format.drop?.column),
    types: find(format.types?.column),
    country: find(format.country),
    region: find(format.region),
    city: find(format.city),
  };
  return missing ? undefined : columns;
}

/** A header that lacks a needed column refuses every row: a changed file must not be half understood. */
export function parseCsv(bytes: Uint8Array, format: CsvFormat, rows: RowBuilder): void {
  const fields = new CsvFields(format.separator ?? ',');
  let columns = format.header ? undefined : resolveColumns(format, undefined);
  let headerSeen = !format.header;
  const keep = lowerSet(format.keep?.values);
  const drop = lowerSet(format.drop?.values);
  for (let at = 0; at < bytes.length; ) {
    at = fields.read(bytes, at);
    if (fields.count === 0) continue;
    if (!headerSeen) {
      headerSeen = true;
      columns = resolveColumns(
        format,
        Array.from({ length: fields.count }, (_, column) => fields.text(column)),
      );
    } else if (columns === undefined) rows.refuse('column_missing');
    else if (keep !== undefined && !keep.has(fields.text(columns.keep).toLowerCase())) rows.refuse('not_kept');
    else if (drop?.has(fields.text(columns.drop).toLowerCase())) rows.refuse('dropped');
    else addRow(fields, columns, format, rows);
  }
}

const lowerSet = (values: readonly string[] | undefined): ReadonlySet<string> | undefined =>
  values === undefined ? undefined : new Set(values.map((value) => value.toLowerCase()));

function addRow(fields: CsvFields, columns: Columns, format: CsvFormat, rows: RowBuilder): void {
  if (columns.end >= 0) {
    addRange(fields.text(columns.ip), fields.text(columns.end), rows);
    return;
  }
  const time = columns.time < 0 ? Number.NaN : timeOf(fields, columns.time);
  if (columns.time >= 0 && Number.isNaN(time)) {
    rows.refuse('bad_time');
    return;
  }
  if (
    columns.ip >= fields.count ||
    !rows.scanField(fields.bytes, fields.starts[columns.ip]!, fields.ends[columns.ip]!)
  ) {
    rows.refuse('not_an_address');
    return;
  }
  const first = timeOf(fields, columns.firstTime);
  if (Number.isNaN(first) && fields.text(columns.firstTime) !== '') {
    rows.refuse('bad_time');
    return;
  }
  const pool = columns.pool < 0 ? 0 : rows.pool(poolName(fields.text(columns.pool)));
  if (pool === undefined) {
    rows.refuse('too_many_pools');
    return;
  }
  const riskType = riskTypeOf(fields, columns, format);
  if (!rows.addScanned(time, riskType, pool)) return;
  if (first < time) rows.addScanned(first, riskType, pool, true);
  const place = placeOf(fields, columns);
  if (place !== undefined) rows.addPlace(place);
}

const NAME_MAX = 100;

function placeOf(fields: CsvFields, { country, region, city }: Columns): string | undefined {
  const stated = fields.text(country).trim();
  const code = countryCode(stated);
  if (city < 0) return code;
  const names = [region, city].map((column) => fields.text(column).trim());
  if (code === undefined) return /^(zz)?$/i.test(stated) && names.every((name) => name === '') ? ',,' : undefined;
  return [code, ...names.map((name) => (name.length > NAME_MAX ? '' : csvCell(name)))].join(',');
}

const timeOf = (fields: CsvFields, column: number): number =>
  column < 0 || column >= fields.count
    ? Number.NaN
    : scanTime(fields.bytes, fields.starts[column]!, fields.ends[column]!);

function riskTypeOf(fields: CsvFields, columns: Columns, format: CsvFormat): RiskType | undefined {
  if (columns.types < 0) return undefined;
  const value = fields.text(columns.types).toLowerCase();
  return format.types?.contains.find(([text]) => value.includes(text))?.[1];
}

/** Keeps lower-case letters and digits of the brand, so that "Proton VPN" and "ProtonVPN" are one pool. */
const poolName = (brand: string): string => brand.toLowerCase().replace(/[^a-z0-9]+/g, '');

export function addRange(first: string, last: string, rows: RowBuilder): void {
  const { scanner } = rows;
  if (!rows.scanText(first)) {
    rows.refuse('not_an_address');
    return;
  }
  const from = addressOf(scanner);
  const to = rows.scanText(last) && scanner.family === from.family ? addressOf(scanner) : undefined;
  if (to === undefined || compareAddresses(from, to) > 0) {
    rows.refuse('not_a_range');
    return;
  }
  let again = false;
  for (const prefix of prefixesOfRange(from, to)) {
    Object.assign(scanner, prefix);
    again = rows.addScanned(Number.NaN, undefined, 0, again) || again;
  }
}

const addressOf = ({ family, w0, w1, w2, w3 }: Address): Address => ({ family, w0, w1, w2, w3 });

const ZERO = 48;
const NINE = 57;
const DECODER = new TextDecoder();

function digits(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/**
 * Dates repeat in a list, so the latest day is kept as year · 10000 + month · 100 + day, with its first
 * millisecond.
 */
let lastDate = -1;
let lastDayMs = 0;

function dayMs(year: number, month: number, day: number): number {
  const date = (year * 100 + month) * 100 + day;
  if (date === lastDate) return lastDayMs;
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > MONTH_DAYS[month - 1]!) return Number.NaN;
  lastDate = date;
  lastDayMs = Date.UTC(year, month - 1, day);
  return lastDayMs;
}

/**
 * Reads bytes as `readTime` reads a text. The two spellings that fill long lists (`2026-08-22T16:00:00` with
 * `T` or a space and maybe `Z`, and Unix seconds) need no string. Milliseconds since 1970; NaN when it is not
 * a time.
 */
export function scanTime(bytes: Uint8Array, from: number, to: number): number {
  const length = to - from;
  const last = bytes[to - 1]!;
  if (length === 10 && last >= ZERO && last <= NINE) {
    const seconds = digits(bytes, from, 10);
    if (seconds >= 0) return seconds * 1000;
  }
  if ((length === 19 || (length === 20 && last === 90)) && isDateTime(bytes, from)) {
    const hour = digits(bytes, from + 11, 2);
    const minute = digits(bytes, from + 14, 2);
    const second = digits(bytes, from + 17, 2);
    const day = dayMs(digits(bytes, from, 4), digits(bytes, from + 5, 2), digits(bytes, from + 8, 2));
    if (day >= 0 && hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60)
      return day + ((hour * 60 + minute) * 60 + second) * 1000;
  }
  return readTime(DECODER.decode(bytes.subarray(from, to))) ?? Number.NaN;
}

const isDateTime = (bytes: Uint8Array, from: number): boolean =>
  bytes[from + 4] === 45 &&
  bytes[from + 7] === 45 &&
  (bytes[from + 10] === 84 || bytes[from + 10] === 32) &&
  bytes[from + 13] === 58 &&
  bytes[from + 16] === 58;
