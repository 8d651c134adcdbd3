export const MMDB_SCHEMAS = ['pulse', 'anonymous-ip', 'city', 'asn'] as const;
export type MmdbSchema = (typeof MMDB_SCHEMAS)[number];

/**
 * `metadata.database_type` holds this name, which is also the edition's name for updaters. Readers choose a
 * schema by its ending.
 */
export const EDITIONS = {
  pulse: 'Pulse-Risk',
  'anonymous-ip': 'Pulse-Anonymous-IP',
  city: 'Pulse-City',
  asn: 'Pulse-ASN',
} as const satisfies Record<MmdbSchema, string>;

export type GeoSchema = Extract<MmdbSchema, 'city' | 'asn'>;

export const isGeoSchema = (schema: MmdbSchema): schema is GeoSchema => schema === 'city' || schema === 'asn';
