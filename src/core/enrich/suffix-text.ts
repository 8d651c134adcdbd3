import { csvCell } from '../csv/csv-cell.ts';
import type { FieldPath } from '../fields/field-path.ts';
import { fieldText, fieldValue } from '../fields/field-value.ts';
import type { LineLayout } from '../logs/line-layout.ts';

export type SuffixText = (document: object) => string;

const KEY = 'pulse';

/**
 * Writes fields in the form of a format: quoted words after an access log, with `"-"` for a missing field;
 * cells of a table; an object `pulse` before the closing brace; words after a tab on other lines.
 */
export function suffixText(
  { format, separator }: Pick<LineLayout, 'format' | 'separator'>,
  fields: readonly FieldPath[],
): SuffixText {
  const texts = (document: object): readonly string[] => fields.map((field) => fieldText(fieldValue(document, field)));
  switch (format) {
    case 'common':
    case 'combined':
      return (document) => texts(document).map(quotedWord).join('');
    case 'csv':
    case 'tsv':
      return (document) => cells(texts(document), separator);
    case 'ndjson':
      return (document) => `,"${KEY}":${JSON.stringify(nested(document, fields))}`;
    case 'lines':
    case 'any':
      return (document) =>
        texts(document)
          .map((text) => `\t${text.replace(/\s/g, ' ')}`)
          .join('');
  }
}

export function cells(texts: readonly string[], separator: number): string {
  const between = String.fromCharCode(separator);
  return texts.map((text) => `${between}${csvCell(text, between)}`).join('');
}

/**
 * Quotes a word as Apache and nginx do in an access log: characters that would end it or the line are
 * escaped.
 */
function quotedWord(text: string): string {
  const escaped = text.replace(
    /["\\\p{Cc}]/gu,
    (unit) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
  return ` "${escaped === '' ? '-' : escaped}"`;
}

function nested(document: object, fields: readonly FieldPath[]): object {
  const root: Record<string, unknown> = {};
  for (const field of fields) {
    const keys = field.split('.');
    let into = root;
    for (const key of keys.slice(0, -1)) {
      into[key] ??= {};
      into = into[key] as Record<string, unknown>;
    }
    into[keys.at(-1)!] = fieldValue(document, field) ?? null;
  }
  return root;
}
