import type { RiskType } from '../../contract/risk.ts';
import { csvCell } from '../csv/csv-cell.ts';
import { CsvFields } from '../csv/csv-fields.ts';
import type { Address } from '../ip/address.ts';
import { compareAddresses, prefixesOfRange } from '../ip/prefix.ts';
import { countryCode } from '../place/country-code.ts';
import type { Column, CsvFormat } from './feed.ts';
import type { RowBuilder } from './row-builder.ts';
import { scanTime } from './scan-time.ts';

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
