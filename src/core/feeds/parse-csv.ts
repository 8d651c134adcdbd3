import type { RiskType } from '../../contract/risk.ts';
import { compareAddresses, coverRange } from '../ip/prefix.ts';
import type { Column, CsvFormat } from './feed.ts';
import { readTime } from './read-time.ts';
import type { RowBuilder } from './row-builder.ts';

/** Splits one RFC 4180 row. A quoted field may hold the separator and doubled quotes; line breaks inside quotes do not occur in the lists we read. */
export function splitRow(line: string, separator: string): string[] {
  if (!line.includes('"')) return line.split(separator).map((field) => field.trim());
  const fields: string[] = [];
  let field = '';
  let quoted = false;
  for (let at = 0; at < line.length; at++) {
    const char = line[at]!;
    if (quoted) {
      if (char !== '"') field += char;
      else if (line[at + 1] === '"') field += line[at++];
      else quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === separator) {
      fields.push(field.trim());
      field = '';
    } else field += char;
  }
  fields.push(field.trim());
  return fields;
}

interface Columns {
  readonly ip: number;
  readonly end: number;
  readonly time: number;
  readonly firstTime: number;
  readonly pool: number;
  readonly keep: number;
  readonly drop: number;
  readonly types: number;
}

/** Column numbers, -1 where the format has none; undefined when a named column is missing from the header. */
function resolveColumns(format: CsvFormat, header: readonly string[] | undefined): Columns | undefined {
  let missing = false;
  const find = (column: Column | undefined): number => {
    if (column === undefined) return -1;
    const index = typeof column === 'number' ? column : (header?.findIndex((name) => name.toLowerCase() === column) ?? -1);
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
  };
  return missing ? undefined : columns;
}

/** CSV with a column mapping. A header that lacks a needed column refuses every row: a changed file must not be half understood. */
export function parseCsv(bytes: Uint8Array, format: CsvFormat, rows: RowBuilder): void {
  const separator = format.separator ?? ',';
  let columns = format.header ? undefined : resolveColumns(format, undefined);
  let headerSeen = !format.header;
  const keep = lowerSet(format.keep?.values);
  const drop = lowerSet(format.drop?.values);
  for (const line of new TextDecoder().decode(bytes).split('\n')) {
    const text = line.replace(/[\r\s]+$/, '');
    if (text === '' || text.startsWith('#')) continue;
    const fields = splitRow(text, separator);
    if (!headerSeen) {
      headerSeen = true;
      columns = resolveColumns(format, fields);
      continue;
    }
    if (columns === undefined) {
      rows.refuse('column_missing');
      continue;
    }
    if (keep !== undefined && !keep.has((fields[columns.keep] ?? '').toLowerCase())) rows.refuse('not_kept');
    else if (drop?.has((fields[columns.drop] ?? '').toLowerCase())) rows.refuse('dropped');
    else addRow(fields, columns, format, rows);
  }
}

const lowerSet = (values: readonly string[] | undefined): ReadonlySet<string> | undefined =>
  values === undefined ? undefined : new Set(values.map((value) => value.toLowerCase()));

function addRow(fields: readonly string[], columns: Columns, format: CsvFormat, rows: RowBuilder): void {
  const ip = fields[columns.ip] ?? '';
  if (columns.end >= 0) {
    addRange(ip, fields[columns.end] ?? '', rows);
    return;
  }
  const time = columns.time < 0 ? Number.NaN : readTime(fields[columns.time] ?? '');
  if (time === undefined) {
    rows.refuse('bad_time');
    return;
  }
  const pool = columns.pool < 0 ? 0 : rows.pool(poolName(fields[columns.pool] ?? ''));
  const riskType = riskTypeOf(fields, columns, format);
  if (!rows.addText(ip, time, riskType, pool) || columns.firstTime < 0) return;
  const first = readTime(fields[columns.firstTime] ?? '');
  if (first !== undefined && first < time) rows.addScanned(first, riskType, pool, true);
}

function riskTypeOf(fields: readonly string[], columns: Columns, format: CsvFormat): RiskType | undefined {
  if (columns.types < 0) return undefined;
  const value = (fields[columns.types] ?? '').toLowerCase();
  return format.types?.contains.find(([text]) => value.includes(text))?.[1];
}

/** Internal pool name: letters and digits of the brand, lower-case, so that "Proton VPN" and "ProtonVPN" are one. */
export const poolName = (brand: string): string => brand.toLowerCase().replace(/[^a-z0-9]+/g, '');

/** The range from `first` to `last`, both included, as its covering prefixes. */
export function addRange(first: string, last: string, rows: RowBuilder): void {
  if (!rows.scanText(first)) {
    rows.refuse('not_an_address');
    return;
  }
  const from = { family: rows.scanner.family, w0: rows.scanner.w0, w1: rows.scanner.w1, w2: rows.scanner.w2, w3: rows.scanner.w3 };
  if (!rows.scanText(last) || rows.scanner.family !== from.family) {
    rows.refuse('not_a_range');
    return;
  }
  const to = { family: rows.scanner.family, w0: rows.scanner.w0, w1: rows.scanner.w1, w2: rows.scanner.w2, w3: rows.scanner.w3 };
  if (compareAddresses(from, to) > 0) {
    rows.refuse('not_a_range');
    return;
  }
  let again = false;
  for (const prefix of coverRange(from, to)) {
    Object.assign(rows.scanner, { family: prefix.family, w0: prefix.w0, w1: prefix.w1, w2: prefix.w2, w3: prefix.w3, bits: prefix.bits });
    again = rows.addScanned(Number.NaN, undefined, 0, again) || again;
  }
}
