import { LEVELS, type Level } from '../../contract/risk.ts';
import { WATCHED_CHANGES, type WatchedChange } from '../../contract/watched-changes.ts';
import { formatAddress, formatPrefix } from '../ip/format-address.ts';
import { familyBits, parsePrefix } from '../ip/prefix.ts';
import { isReserved } from '../ip/special-purpose.ts';
import { checkRow, type RowSchema } from '../kit/check-row.ts';

/**
 * - `entries`: addresses and prefixes in canonical form, each once.
 * - `minLevel`: changes that stay below this level before and after are not reported.
 */
export interface WatchlistRequest {
  readonly name: string;
  readonly entries: readonly string[];
  readonly on: readonly WatchedChange[];
  readonly minLevel?: Level;
  readonly url: string;
}

const WATCH_ENTRIES_MAX = 1000;
const NAME_MAX = 80;
const URL_MAX = 2000;
const PREFIX_BITS_MIN = { 4: 16, 6: 32 } as const;

const FIELDS = {
  name: ['text', 'name is a text.'],
  entries: ['list', 'entries is a list of addresses and prefixes.'],
  on: ['list', 'on is a list of "state" and "level".'],
  min_level: ['text', 'min_level is low, medium or high.'],
  webhook: ['record', 'webhook is {"url"}.'],
} as const satisfies RowSchema;

/** @returns the list, or an English sentence on the first fault of the body */
export function readWatchlist(body: unknown): WatchlistRequest | string {
  const row = checkRow(body, FIELDS);
  if (row === undefined) return 'Send {"name", "entries", "on", "min_level", "webhook": {"url"}}.';
  if (typeof row === 'string') return row;
  const known = Object.keys(FIELDS);
  if (!Object.keys(body as object).every((field) => known.includes(field))) return `Allowed keys: ${known.join(', ')}.`;
  if (Object.keys(row.webhook ?? {}).some((field) => field !== 'url')) return FIELDS.webhook[1];
  const name = row.name?.trim() ?? '';
  if (name === '' || name.length > NAME_MAX) return `name has 1 to ${NAME_MAX} characters.`;
  const entries = readEntries(row.entries ?? []);
  if (typeof entries === 'string') return entries;
  const on = WATCHED_CHANGES.filter((one) => (row.on ?? WATCHED_CHANGES).includes(one));
  if (on.length === 0 || on.length < new Set(row.on ?? on).size) return FIELDS.on[1];
  const minLevel = LEVELS.find((level) => level !== 'none' && level === row.min_level);
  if (row.min_level !== undefined && minLevel === undefined) return FIELDS.min_level[1];
  const url = row.webhook?.['url'];
  if (typeof url !== 'string' || !isWebhookUrl(url))
    return `webhook.url is an address that begins with https:// or http://, without user and fragment, of at most ${URL_MAX} characters.`;
  return { name, entries, on, url: new URL(url).href, ...(minLevel !== undefined && { minLevel }) };
}

function readEntries(entries: readonly unknown[]): readonly string[] | string {
  if (entries.length === 0 || entries.length > WATCH_ENTRIES_MAX)
    return `A watch list has 1 to ${WATCH_ENTRIES_MAX} entries.`;
  const found = new Set<string>();
  for (const [index, entry] of entries.entries()) {
    const prefix = typeof entry === 'string' ? parsePrefix(entry) : undefined;
    if (prefix === undefined) return `Entry ${index + 1} is not an address or a prefix.`;
    if (isReserved(prefix)) return `Entry ${index + 1} is not public.`;
    if (prefix.bits < PREFIX_BITS_MIN[prefix.family])
      return `Entry ${index + 1} is too wide: at least /${PREFIX_BITS_MIN[4]}, or /${PREFIX_BITS_MIN[6]} in IPv6.`;
    found.add(prefix.bits === familyBits(prefix.family) ? formatAddress(prefix) : formatPrefix(prefix));
  }
  return [...found];
}

function isWebhookUrl(text: string): boolean {
  if (text.length > URL_MAX || !URL.canParse(text)) return false;
  const { protocol, username, password, hash } = new URL(text);
  return (protocol === 'https:' || protocol === 'http:') && username + password + hash === '';
}
