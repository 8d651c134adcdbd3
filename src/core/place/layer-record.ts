import { countryCode } from './country-code.ts';
import { usageCode } from './usage-code.ts';

/**
 * A layer knows these facts about a range. Names and codes are as the file has them, trimmed; empty texts,
 * "-" and "0" are gone. A record is made once per distinct record of a file, never per range.
 */
export interface LayerRecord {
  /** ISO 3166-1 alpha-2, upper case. */
  readonly country?: string;
  /** The publisher asks that this space is not located (RFC 8805 section 2.1.2). */
  readonly unlocated?: true;
  readonly region?: string;
  /** The layer states no region: this is that of a town of the name in other layers. */
  readonly regionFound?: true;
  readonly city?: string;
  readonly district?: string;
  readonly adminCode?: string;
  /** Decimal degrees, latitude first, at most five decimals (about a metre). */
  readonly point?: readonly [number, number];
  readonly tz?: string;
  readonly asn?: number;
  readonly asName?: string;
  readonly usage?: string;
  readonly hosting?: true;
  readonly mobile?: true;
}

/**
 * Files name the fields of a layer so. Where a file has several, `bestOf` decides; among equal ones the first
 * here counts.
 */
export const LAYER_FIELDS = {
  country: ['country_code', 'country', 'country_iso', 'country_iso_code', 'iso2'],
  region: [
    'state1',
    'region',
    'region_name',
    'stateprov',
    'state',
    'state_name',
    'province',
    'subdivision',
    'region_code',
  ],
  city: ['city', 'city_name'],
  district: ['district_name', 'district', 'county', 'area'],
  adminCode: ['admin_code', 'china_admin_code', 'adcode'],
  lat: ['latitude', 'lat'],
  lon: ['longitude', 'lng', 'lon'],
  tz: ['timezone', 'time_zone', 'tz'],
  asn: ['autonomous_system_number', 'asn', 'as_number'],
  asName: ['autonomous_system_organization', 'as_name', 'as_organization'],
  usage: ['usage_type', 'usage'],
  hosting: ['hosting', 'is_hosting'],
  mobile: ['is_mobile', 'mobile'],
} as const satisfies Readonly<Record<string, readonly string[]>>;
export type LayerField = keyof typeof LAYER_FIELDS;

export type RawRecord = { [Field in LayerField]?: unknown } & { unlocated?: true };

/**
 * Prefers the code of a country to its name, the name of an area to its code, else the first of two columns.
 */
export function bestOf(field: LayerField, known: unknown, next: unknown): unknown {
  if (isEmpty(known)) return next;
  if (field === 'country') return countryCode(known) === undefined && countryCode(next) !== undefined ? next : known;
  if (field === 'region') return isAreaCode(known) && !isEmpty(next) && !isAreaCode(next) ? next : known;
  return known;
}

const isEmpty = (value: unknown): boolean => value === undefined || value === '' || value === '-';

const isAreaCode = (value: unknown): boolean =>
  typeof value !== 'string' || /^([A-Z]{2}-)?[A-Z0-9]{1,3}$/.test(value.trim());

/** Unknown or malformed values are omitted, never turned into 0 or ""; undefined when nothing remains. */
export function layerRecord(raw: RawRecord): LayerRecord | undefined {
  const country = countryCode(raw.country);
  const region = name(raw.region);
  const city = name(raw.city);
  const district = name(raw.district);
  const adminCode = typeof raw.adminCode === 'number' ? String(raw.adminCode) : raw.adminCode;
  const point = pointOf(raw.lat, raw.lon, region !== undefined || city !== undefined || district !== undefined);
  const tz = typeof raw.tz === 'string' && /^[A-Za-z]+\/[A-Za-z_+\-/0-9]+$/.test(raw.tz) ? raw.tz : undefined;
  const asn = asNumber(raw.asn);
  const asName = asn === undefined ? undefined : name(raw.asName);
  const usage = usageCode(raw.usage);
  const record: { -readonly [K in keyof LayerRecord]: LayerRecord[K] } = {};
  if (raw.unlocated === true) record.unlocated = true;
  if (country !== undefined) record.country = country;
  if (region !== undefined) record.region = region;
  if (city !== undefined) record.city = city;
  if (district !== undefined) record.district = district;
  if (typeof adminCode === 'string' && /^[1-8]\d{5}$/.test(adminCode)) record.adminCode = adminCode;
  if (point !== undefined) record.point = point;
  if (tz !== undefined) record.tz = tz;
  if (asn !== undefined) record.asn = asn;
  if (asName !== undefined) record.asName = asName;
  if (usage !== undefined) record.usage = usage;
  if (isYes(raw.hosting)) record.hosting = true;
  if (isYes(raw.mobile)) record.mobile = true;
  for (const _ in record) return record;
  return undefined;
}

/** "None" is a town in Piedmont and stays. */
function name(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text === '' || text === '-' || text === '0' || /^(unknown|n\/a|null)$/i.test(text) ? undefined : text;
}

function pointOf(lat: unknown, lon: unknown, named: boolean): readonly [number, number] | undefined {
  const latitude = degrees(lat, 90);
  const longitude = degrees(lon, 180);
  if (latitude === undefined || longitude === undefined) return undefined;
  return latitude === 0 && longitude === 0 && !named ? undefined : [latitude, longitude];
}

function degrees(value: unknown, limit: number): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !(Math.abs(number) <= limit)) return undefined;
  return Math.round(number * 1e5) / 1e5 + 0;
}

/**
 * 13335, "13335" or "AS13335"; 0, 23456 (AS_TRANS, RFC 6793) and the last number (RFC 7300) identify no
 * network.
 */
function asNumber(value: unknown): number | undefined {
  const number =
    typeof value === 'string' && /^(AS)?\d{1,10}$/i.test(value) ? Number(value.replace(/^AS/i, '')) : value;
  if (
    typeof number !== 'number' ||
    !Number.isInteger(number) ||
    number <= 0 ||
    number >= 0xffff_ffff ||
    number === 23_456
  )
    return undefined;
  return number;
}

const isYes = (value: unknown): boolean =>
  value === true || value === 1 || (typeof value === 'string' && /^(true|yes|1)$/i.test(value));
