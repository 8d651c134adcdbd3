export const MMDB_SCHEMAS = ['pulse', 'anonymous-ip', 'city', 'asn'] as const;
export type MmdbSchema = (typeof MMDB_SCHEMAS)[number];

/**
 * Names of files for updaters, which `metadata.database_type` holds too; the first of a schema is that of
 * `pulse export`. Most readers choose a schema by its ending, MaxMind's own take MaxMind's names alone.
 */
export const EDITIONS: Readonly<Record<string, MmdbSchema>> = {
  'Pulse-Risk': 'pulse',
  'Pulse-Anonymous-IP': 'anonymous-ip',
  'Pulse-City': 'city',
  'Pulse-ASN': 'asn',
  'GeoIP2-Anonymous-IP': 'anonymous-ip',
  'GeoIP2-City': 'city',
  'GeoLite2-City': 'city',
  'GeoLite2-Country': 'city',
  'GeoLite2-ASN': 'asn',
};

export const editionOf = (schema: MmdbSchema): string =>
  Object.keys(EDITIONS).find((edition) => EDITIONS[edition] === schema)!;

export type GeoSchema = Extract<MmdbSchema, 'city' | 'asn'>;

export const isGeoSchema = (schema: MmdbSchema): schema is GeoSchema => schema === 'city' || schema === 'asn';
