/** The rows have the text format of PostgreSQL's COPY: https://www.postgresql.org/docs/current/sql-copy.html */

export type CopyValue = string | number | boolean | Uint8Array | null;

const NULL = '\\N';

/** @throws RangeError for a NUL character, which no text of PostgreSQL can hold */
export const copyLine = (row: readonly CopyValue[]): string => `${row.map(copyField).join('\t')}\n`;

function copyField(value: CopyValue): string {
  if (value === null) return NULL;
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (typeof value === 'number') return String(value);
  return `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex')}`;
}

const ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

function escaped(text: string): string {
  if (text.includes('\0')) throw new RangeError('PostgreSQL cannot hold a text with a NUL character');
  return text.replace(/[\\\t\n\r]/g, (character) => ESCAPES[character]!);
}

/** @param line without its line feed. @returns the texts of its fields */
export const copyFields = (line: string): readonly (string | null)[] =>
  line.split('\t').map((field) => (field === NULL ? null : unescaped(field)));

const UNESCAPED: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const unescaped = (field: string): string =>
  field.includes('\\') ? field.replace(/\\(.)/g, (_, letter: string) => UNESCAPED[letter] ?? letter) : field;

/** @param text bytes as PostgreSQL prints them */
export const copyBytes = (text: string): Uint8Array => Buffer.from(text.slice(2), 'hex');
