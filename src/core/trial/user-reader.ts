import { splitRow } from '../csv/split-row.ts';
import { isRecord, parseRecord } from '../kit/json.ts';
import { isTable, type LineLayout } from '../logs/line-layout.ts';

/** Files name the holder of a login so, in lower case, best first. */
const NAMES = [
  'user',
  'username',
  'user_name',
  'user.name',
  'login',
  'account',
  'user_id',
  'userid',
  'email',
  'account_id',
];
const LOGIN = / sshd(?:-session)?\[\d+\]: Accepted \S+ for (?<user>\S+) from /;
/** Matches the authenticated user of an access log (Common Log Format). */
const REMOTE_USER = /^\S+ \S+ (?<user>(?!-)\S+) \[/;

/** Returns a reader of the user's name; it gives undefined where a record has none. */
export function userReader(layout: LineLayout): (record: string) => string | undefined {
  if (layout.format === 'ndjson')
    return (record) => {
      const found = new Map<string, string>();
      collect(parseRecord(record) ?? {}, '', found);
      return NAMES.map((name) => found.get(name)).find((value) => value !== undefined && value !== '');
    };
  if (isTable(layout)) {
    const columns = (layout.header ?? []).map((name) => name.trim().toLowerCase());
    const column = NAMES.map((name) => columns.indexOf(name)).find((at) => at >= 0);
    const separator = String.fromCharCode(layout.separator);
    return (record) => (column === undefined ? undefined : splitRow(record, separator)[column] || undefined);
  }
  return (record) => (LOGIN.exec(record) ?? REMOTE_USER.exec(record))?.groups?.['user'];
}

function collect(record: Readonly<Record<string, unknown>>, path: string, into: Map<string, string>): void {
  for (const [key, value] of Object.entries(record)) {
    const name = `${path}${key.toLowerCase()}`;
    if (typeof value === 'string' || typeof value === 'number') into.set(name, String(value));
    else if (isRecord(value) && path === '') collect(value, `${name}.`, into);
  }
}
