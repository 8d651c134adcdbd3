import { csvCell } from '../csv/csv-cell.ts';
import type { FieldPath } from '../fields/field-path.ts';
import { fieldText, fieldValue } from '../fields/field-value.ts';
import type { LineLayout } from '../logs/line-layout.ts';

/** Addition to a record: the fields of a document, in the form of the record's format. */
export type SuffixText = (document: object) => string;

/** The member that is added to an object. */
const KEY = 'pulse';

/**
 * Writes fields in the form of a format: words in quotes behind an access log, `"-"` for a field that is not
 * there; cells of a table; an object under the key `pulse`, which is put in front of the closing brace; words
 * behind a tab on other lines.
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

/** Cells behind those of a row, each with the separator before it. */
export function cells(texts: readonly string[], separator: number): string {
  const between = String.fromCharCode(separator);
  return texts.map((text) => `${between}${csvCell(text, between)}`).join('');
}

/** A word as Apache and nginx write one in an access log: characters that would end it or the line are escaped. */
function quotedWord(text: string): string {
  const escaped = text.replace(
    /["\\\p{Cc}]/gu,
    (unit) => `\\x${unit.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}`,
  );
  return ` "${escaped === '' ? '-' : escaped}"`;
}

/** The fields as the document nests them, null where it has none. */
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
