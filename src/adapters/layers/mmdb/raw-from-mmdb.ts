import { isRecord } from '../../../core/kit/json.ts';
import type { RawRecord } from '../../../core/place/layer-record.ts';

type Fields = Readonly<Record<string, unknown>>;

const part = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);
const english = (value: unknown): unknown => part(part(value, 'names'), 'en');

/**
 * Names the fields of a record in any of the layouts in use: GeoIP2, GeoLite2 and DB-IP's own files (nested, `names.en`), ip-location-db
 * (flat: country_code, state1, city …), IPinfo (flat: country, region, city, lat, lng, asn "AS…"). Which one it is shows in the record itself.
 */
export function rawFromMmdb(value: unknown): RawRecord {
  if (!isRecord(value)) return {};
  return isRecord(value.country) ||
    isRecord(value.location) ||
    isRecord(value.city) ||
    isRecord(value.continent) ||
    isRecord(value.traits)
    ? nested(value)
    : flat(value);
}

function nested(value: Fields): RawRecord {
  const subdivisions = value.subdivisions;
  const location = value.location;
  const traits = value.traits;
  return {
    country: part(value.country, 'iso_code'),
    region: Array.isArray(subdivisions) ? english(subdivisions[0]) : undefined,
    city: english(value.city),
    lat: part(location, 'latitude'),
    lon: part(location, 'longitude'),
    tz: part(location, 'time_zone'),
    asn: value.autonomous_system_number ?? part(traits, 'autonomous_system_number'),
    hosting: part(traits, 'is_hosting_provider') ?? part(traits, 'user_type') === 'hosting',
    mobile: part(traits, 'connection_type') === 'Cellular' || part(traits, 'user_type') === 'cellular',
  };
}

/** What flat layouts call a field, the name that counts first; `connection_type` is a text of its own meaning. */
const FLAT_NAMES = {
  country: ['country_code', 'country'],
  region: ['state1', 'region', 'region_name', 'stateprov'],
  city: ['city', 'city_name'],
  district: ['district'],
  adminCode: ['admin_code', 'china_admin_code'],
  lat: ['latitude', 'lat'],
  lon: ['longitude', 'lng', 'lon'],
  tz: ['timezone', 'time_zone'],
  asn: ['autonomous_system_number', 'asn'],
  usage: ['usage_type'],
  hosting: ['hosting', 'is_hosting'],
  mobile: ['is_mobile'],
} as const satisfies Record<keyof RawRecord, readonly string[]>;
const SLOTS: readonly string[] = [...Object.values(FLAT_NAMES).flat(), 'connection_type'];

/** Slot of a key of a flat record in the cells that `rawFromCells` takes; -1 for one without meaning here. */
export const flatSlot = (key: string): number => SLOTS.indexOf(key);

/** Cells of one flat record, all unknown. They are used again for the next one. */
export const flatCells = (): unknown[] => new Array<unknown>(SLOTS.length).fill(undefined);

const AT = Object.fromEntries(
  Object.entries(FLAT_NAMES).map(([field, [name]]) => [field, SLOTS.indexOf(name)]),
) as Record<keyof RawRecord, number>;
const CONNECTION = SLOTS.indexOf('connection_type');

/** Names of one field stand side by side: the first of them with a value. */
export function rawFromCells(cells: readonly unknown[]): RawRecord {
  const { country, region, city, district, adminCode, lat, lon, tz, asn, usage, hosting, mobile } = AT;
  return {
    country: cells[country] ?? cells[country + 1],
    region: cells[region] ?? cells[region + 1] ?? cells[region + 2] ?? cells[region + 3],
    city: cells[city] ?? cells[city + 1],
    district: cells[district],
    adminCode: cells[adminCode] ?? cells[adminCode + 1],
    lat: cells[lat] ?? cells[lat + 1],
    lon: cells[lon] ?? cells[lon + 1] ?? cells[lon + 2],
    tz: cells[tz] ?? cells[tz + 1],
    asn: cells[asn] ?? cells[asn + 1],
    usage: cells[usage],
    hosting: cells[hosting] ?? cells[hosting + 1],
    mobile: cells[mobile] ?? cells[CONNECTION] === 'Cellular',
  };
}

function flat(value: Fields): RawRecord {
  return rawFromCells(SLOTS.map((key) => value[key]));
}
