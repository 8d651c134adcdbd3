import { parseRfc3339 } from '../evidence/parse-rfc3339.ts';
import { formatPrefix } from '../ip/format-address.ts';
import { parsePrefix } from '../ip/prefix.ts';
import { PrefixPeriods } from '../ip/prefix-periods.ts';
import { checkRow, type RowSchema } from '../kit/check-row.ts';
import { isRecord } from '../kit/json.ts';
import { type Override, type OverrideTable, overridesOf } from '../risk/override.ts';
import { DAY_MS, type UnixMs, unixMs } from '../units.ts';

export interface AllowEntry {
  readonly prefix: string;
  readonly reason: string;
  readonly from: UnixMs;
  readonly until?: UnixMs;
}

export type AllowRequest = Omit<AllowEntry, 'from'>;

const ALLOW_ENTRIES_MAX = 1000;
const REASON_MAX = 300;
/** Ended entries are kept for this long, so that answers about the time before their end stay as they were. */
const ENDED_KEPT_MS = 60 * DAY_MS;
const LATEST_DATE = unixMs(8.64e15);

const FIELDS = {
  prefix: ['text', 'prefix is a text.'],
  reason: ['text', 'reason is a text.'],
  until: ['text', 'until is an RFC 3339 date-time.'],
} as const satisfies RowSchema;

/** @returns the entries of a body `{"entries": […]}`, or an English sentence on its first fault */
export function readAllowList(body: unknown): readonly AllowRequest[] | string {
  const entries = isRecord(body) ? body['entries'] : undefined;
  if (!Array.isArray(entries)) return 'Send {"entries": [{"prefix", "reason", "until"}]}.';
  if (entries.length > ALLOW_ENTRIES_MAX) return `An allow list has at most ${ALLOW_ENTRIES_MAX} entries.`;
  const requests = new Map<string, AllowRequest>();
  for (const [index, entry] of entries.entries()) {
    const request = readEntry(entry);
    if (typeof request === 'string') return `Entry ${index + 1}: ${request}`;
    requests.set(request.prefix, request);
  }
  return [...requests.values()];
}

function readEntry(entry: unknown): AllowRequest | string {
  const row = checkRow(entry, FIELDS);
  if (row === undefined) return 'an entry is an object.';
  if (typeof row === 'string') return row;
  const prefix = row.prefix === undefined ? undefined : parsePrefix(row.prefix);
  if (prefix === undefined) return 'prefix is an address or a prefix.';
  const reason = row.reason?.trim() ?? '';
  if (reason === '' || reason.length > REASON_MAX) return `reason has 1 to ${REASON_MAX} characters.`;
  const until = row.until === undefined ? undefined : parseRfc3339(row.until);
  if (row.until !== undefined && until === undefined) return FIELDS.until[1];
  return { prefix: formatPrefix(prefix), reason, ...(until !== undefined && { until }) };
}

/**
 * Replaces the entries in force. One that stays keeps its beginning; one that is gone ends now, and is kept
 * for answers about the past.
 */
export function replaceAllowList(
  held: readonly AllowEntry[],
  requests: readonly AllowRequest[],
  at: UnixMs,
): readonly AllowEntry[] {
  const inForce = new Map(entriesInForce(held, at).map((entry) => [entry.prefix, entry]));
  const entries = requests.map(
    (request): AllowEntry => ({ ...request, from: inForce.get(request.prefix)?.from ?? at }),
  );
  const kept = new Set(requests.map(({ prefix }) => prefix));
  const ended = held
    .map((entry) => (isInForce(entry, at) ? (kept.has(entry.prefix) ? undefined : { ...entry, until: at }) : entry))
    .filter((entry) => entry?.until !== undefined && entry.until > at - ENDED_KEPT_MS)
    .slice(-ALLOW_ENTRIES_MAX) as AllowEntry[];
  return [...ended, ...entries];
}

const isInForce = ({ until }: AllowEntry, at: UnixMs): boolean => until === undefined || until > at;

export const entriesInForce = (entries: readonly AllowEntry[], at: UnixMs): readonly AllowEntry[] =>
  entries.filter((entry) => isInForce(entry, at));

export const allowedBy = (entries: readonly AllowEntry[]): OverrideTable | undefined =>
  overridesOf(entries.map((entry): Override => ({ id: 'allow-list', ...entry, until: entry.until ?? LATEST_DATE })))
    ?.table;

export function prefixesAllowed(table: OverrideTable | undefined, at: UnixMs): readonly string[] {
  if (table === undefined) return [];
  const allowed = new PrefixPeriods(table);
  return [...allowed.prefixes()].filter((prefix) => allowed.find(prefix, at) !== undefined).map(formatPrefix);
}
