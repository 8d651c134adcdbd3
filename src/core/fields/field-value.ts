import { isRecord } from '../kit/json.ts';
import type { FieldPath } from './field-path.ts';

export type FieldValue = string | number | boolean | readonly string[];

const LIST_SEPARATOR = '|';

/** A path into a list gives the values of all entries. */
export function fieldValue(document: object, path: FieldPath): FieldValue | undefined {
  let value: unknown = document;
  for (const key of path.split('.')) {
    if (Array.isArray(value)) value = value.map((entry) => (isRecord(entry) ? entry[key] : undefined));
    else value = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : undefined;
}

/** Writes a field for a cell of a table or a word of a log: '' for a missing field, `a|b` for a list. */
export const fieldText = (value: FieldValue | undefined): string =>
  value === undefined ? '' : typeof value === 'object' ? value.join(LIST_SEPARATOR) : String(value);
