import type { PhoneProfile, PhoneUnparseable } from '../../../../../src/contract/documents.ts';
import { csvCell } from '../../../../../src/core/csv/csv-cell.ts';

export type PhoneItem = PhoneProfile | PhoneUnparseable;

const COLUMNS = [
  'input',
  'e164',
  'hit',
  'evidence_state',
  'score',
  'level',
  'tags',
  'province',
  'city_code',
  'carrier',
  'last_active',
  'problem',
] as const;

const rowOf = (item: PhoneItem): readonly string[] => [
  item.query.input,
  'e164' in item.query ? item.query.e164 : '',
  String(item.hit),
  'evidence_state' in item ? item.evidence_state : '',
  'risk' in item && item.risk.score !== undefined ? String(item.risk.score) : '',
  'risk' in item ? item.risk.level : '',
  'risk' in item ? item.risk.tags.map((tag) => tag.slug).join(' ') : '',
  ('carrier' in item ? item.carrier?.province : undefined) ?? '',
  ('carrier' in item ? item.carrier?.city_code : undefined) ?? '',
  ('carrier' in item ? item.carrier?.carrier : undefined) ?? '',
  item.hit ? item.activity.last_active : '',
  'error' in item ? item.error.code : 'miss_reason' in item ? item.miss_reason : '',
];

/** Batch results as CSV with a header line (RFC 4180, CRLF). Made in the browser: the numbers go nowhere else. */
export const phoneCsv = (items: readonly PhoneItem[]): string =>
  [COLUMNS, ...items.map(rowOf)]
    .map((row) => row.map((value) => csvCell(value)).join(','))
    .join('\r\n')
    .concat('\r\n');
