import { isRecord } from '../../../core/kit/json.ts';
import { bestOf, LAYER_FIELDS, type LayerField, type RawRecord } from '../../../core/place/layer-record.ts';

type Fields = Readonly<Record<string, unknown>>;

const part = (value: unknown, key: string): unknown => (isRecord(value) ? value[key] : undefined);
const english = (value: unknown): unknown => part(part(value, 'names'), 'en');

/**
 * Names the fields of a record in any of the layouts in use: GeoIP2, GeoLite2 and DB-IP's own files (nested,
 * `names.en`), ip-location-db (flat: country_code, state1, city …), IPinfo (flat: country, region, city, lat,
 * lng, asn "AS…"), ipapi.is (flat, or flat within `location`). The record itself shows the layout.
 */
export function rawFromMmdb(value: unknown): RawRecord {
  if (!isRecord(value)) return {};
  const { location } = value;
  if (isRecord(location) && typeof location['country_code'] === 'string') return flat({ ...value, ...location });
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
    asName: value.autonomous_system_organization ?? part(traits, 'autonomous_system_organization'),
    hosting: part(traits, 'is_hosting_provider') ?? part(traits, 'user_type') === 'hosting',
    mobile: part(traits, 'connection_type') === 'Cellular' || part(traits, 'user_type') === 'cellular',
  };
}

const SLOTS: readonly string[] = [...Object.values(LAYER_FIELDS).flat(), 'connection_type'];
const SLOT_OF: ReadonlyMap<string, number> = new Map(SLOTS.map((name, slot) => [name, slot]));

/** Gives the slot of a flat record's key for `rawFromCells`; -1 for a key without meaning here. */
export const flatSlot = (key: string): number => SLOT_OF.get(key) ?? -1;

export const flatCells = (): unknown[] => new Array<unknown>(SLOTS.length).fill(undefined);

const SPANS = Object.entries(LAYER_FIELDS).map(
  ([field, names]) => [field as LayerField, flatSlot(names[0]), flatSlot(names.at(-1)!)] as const,
);
const CONNECTION = SLOTS.indexOf('connection_type');

/** Names of one field are adjacent. `connection_type` is a text of its own meaning. */
export function rawFromCells(cells: readonly unknown[]): RawRecord {
  const raw: RawRecord = {};
  for (const [field, first, last] of SPANS)
    for (let slot = first; slot <= last; slot++)
      if (cells[slot] !== undefined) raw[field] = bestOf(field, raw[field], cells[slot]);
  if (cells[CONNECTION] === 'Cellular') raw.mobile ??= true;
  return raw;
}

function flat(value: Fields): RawRecord {
  return rawFromCells(SLOTS.map((key) => value[key]));
}
