import type { Geo } from '../../contract/documents.ts';

/**
 * Fields of a verdict by path (the bodies of the lookups, docs/interface.md), in the order of the document.
 * `evidence.risk_type` is a list, one entry a row. `error.code` is there instead of a verdict: the code that
 * the batch endpoints give an address without one. `network.as_name` is in no document; local data add it.
 */
export const FIELD_PATHS = [
  'ip',
  'risk.score',
  'risk.level',
  'risk.signals',
  'evidence_state',
  'computed_at',
  'share_tier',
  'evidence.risk_type',
  'evidence.freshness',
  'resource_pools',
  'network.asn',
  'network.as_name',
  'network.usage_type',
  'geo.continent',
  'geo.country',
  'geo.subdivision',
  'geo.admin_code',
  'geo.region',
  'geo.city',
  'geo.district',
  'geo.tz',
  'geo.lat',
  'geo.lon',
  'degraded',
  'meta.data_version.risk',
  'meta.data_version.geo',
  'error.code',
] as const;
export type FieldPath = (typeof FIELD_PATHS)[number];

export const GEO_KEYS = FIELD_PATHS.filter((path) => path.startsWith('geo.')).map(
  (path) => path.slice('geo.'.length) as keyof Geo,
);

/**
 * These fields apply where none are named. The state is one of them, because a score of 0 without it could be
 * taken for safe.
 */
export const DEFAULT_FIELDS: readonly FieldPath[] = [
  'ip',
  'risk.score',
  'risk.level',
  'evidence_state',
  'risk.signals',
  'network.asn',
  'network.usage_type',
  'geo.country',
];

const PROFESSIONAL: readonly FieldPath[] = ['share_tier', 'evidence.risk_type', 'evidence.freshness', 'resource_pools'];

export const needsProfessional = (fields: readonly FieldPath[]): boolean =>
  fields.some((field) => PROFESSIONAL.includes(field));

/** Reads a list such as `risk.score,geo.country`. @returns the fields, or the name that is not one */
export function parseFields(text: string): readonly FieldPath[] | string {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name, i) => !FIELD_PATHS.includes(name as FieldPath) || names.indexOf(name) !== i);
  return wrong === undefined ? (names as FieldPath[]) : wrong;
}
