import type { RawRecord } from '../../../core/place/layer-record.ts';

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);
const part = (value: unknown, key: string): unknown => (isFields(value) ? value[key] : undefined);
const english = (value: unknown): unknown => part(part(value, 'names'), 'en');

/**
 * Names the fields of a record in any of the layouts in use: GeoIP2, GeoLite2 and DB-IP's own files (nested, `names.en`), ip-location-db
 * (flat: country_code, state1, city …), IPinfo (flat: country, region, city, lat, lng, asn "AS…"). Which one it is shows in the record itself.
 */
export function rawFromMmdb(value: unknown): RawRecord {
  if (!isFields(value)) return {};
  return isFields(value.country) || isFields(value.location) || isFields(value.city) || isFields(value.continent) || isFields(value.traits)
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

function flat(value: Fields): RawRecord {
  return {
    country: value.country_code ?? value.country,
    region: value.state1 ?? value.region ?? value.region_name ?? value.stateprov,
    city: value.city ?? value.city_name,
    district: value.district,
    adminCode: value.admin_code ?? value.china_admin_code,
    lat: value.latitude ?? value.lat,
    lon: value.longitude ?? value.lng ?? value.lon,
    tz: value.timezone ?? value.time_zone,
    asn: value.autonomous_system_number ?? value.asn,
    usage: value.usage_type,
    hosting: value.hosting ?? value.is_hosting,
    mobile: value.is_mobile ?? value.connection_type === 'Cellular',
  };
}
