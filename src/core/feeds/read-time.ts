import { type UnixMs, unixMs } from '../units.ts';

const ISO_LIKE =
  /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[T _-](\d\d)[:-](\d\d)(?:[:-](\d\d)(\.\d+)?)?)?\s*(Z|UTC|\(UTC\)|GMT|[+-]\d\d:?\d\d)?$/i;
const UNIX = /^\d{9,10}(\.\d+)?$/;
const UNIX_MS = /^\d{12,13}$/;
const UNIX_US = /^\d{16}$/;
/** Logs of Cloudflare have nanoseconds. */
const UNIX_NS = /^\d{19}$/;

/** Reads the time spellings of lists; a time without zone is UTC, a date alone its first moment. */
export function readTime(text: string): UnixMs | undefined {
  const value = text.trim();
  if (UNIX.test(value)) return unixMs(Math.round(Number(value) * 1000));
  if (UNIX_MS.test(value)) return unixMs(Number(value));
  if (UNIX_US.test(value)) return unixMs(Number(value.slice(0, -3)));
  if (UNIX_NS.test(value)) return unixMs(Number(value.slice(0, -6)));
  const iso = ISO_LIKE.exec(value);
  if (iso !== null) return fromIso(iso);
  // "Sat, 22 Aug 2026 03:00:29 +0200" and "Wed Oct 08 2025 01:02:29 GMT+0000 (…)" need a zone, because the
  // machine's own must not matter.
  if (!/^[A-Z][a-z]{2},? .*(GMT|UTC|[+-]\d{4})/.test(value)) return undefined;
  const parsed = Date.parse(value);
  return Number.isNaN(parsed) ? undefined : unixMs(parsed);
}

function fromIso(match: RegExpExecArray): UnixMs | undefined {
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : 'Z';
  const parsed = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}${offset}`);
  if (Number.isNaN(parsed)) return undefined;
  // Date.parse turns 30 February into March, but a date that does not exist is not a date.
  const atMidnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return atMidnight.getUTCDate() === Number(day) ? unixMs(parsed) : undefined;
}

const CHANGED =
  /(?:last[ _-]?(?:update|updated|modified|change|changed)|updated(?: at| on)?|generated(?: at| on)?|(?:this )?file date|list date|published(?: at| on)?|timestamp)\s*[:=]\s*(.+?)[\s#*]*$/i;
const MADE = /(?:created|date)(?: at| on)?\s*[:=]\s*(.+?)[\s#*]*$/i;

/** `unreadTime` means that the header has a time which cannot be understood. */
export type StatedPublication =
  | { readonly publishedAt: UnixMs | undefined }
  | { readonly publishedAt: undefined; readonly unreadTime: string };

/**
 * Reads the comments above the rows of a text list ("# Last update: …"). The newest time of a change wins
 * over that of the making.
 */
export function statedPublication(head: string): StatedPublication {
  const comments = commentsAbove(head);
  for (const words of [CHANGED, MADE]) {
    const texts = comments.flatMap((line) => words.exec(line)?.[1] ?? []).filter(mayBeTime);
    const times = texts.map(timeWithin);
    const unread = texts[times.indexOf(undefined)];
    if (unread !== undefined) return { publishedAt: undefined, unreadTime: unread };
    if (times.length > 0) return { publishedAt: unixMs(Math.max(...times.filter((at) => at !== undefined))) };
  }
  return { publishedAt: undefined };
}

function commentsAbove(head: string): readonly string[] {
  const lines = head.split('\n').map((line) => line.trim());
  const first = lines.findIndex((line) => line !== '' && !/^[#;/!]/.test(line));
  return first < 0 ? lines : lines.slice(0, first);
}

/** Letters right behind the clock may be a zone, so they are not passed over. */
const TIME_AND_WORDS =
  /^(\d{4}[-/]\d\d[-/]\d\d(?:[T _]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:\s*(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?)?)\s*(?:$|[(#;,|.]|- |\b(?:by|from|with|for)\b)/i;

const timeWithin = (text: string): UnixMs | undefined =>
  readTime(text) ?? readTime(TIME_AND_WORDS.exec(text)?.[1] ?? '');

const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*';
const DATE = new RegExp(
  [
    String.raw`(?<![\w.:-])\d{4}([-/.])\d{1,2}\1\d{1,2}(?![\d.])`,
    String.raw`(?<![\w.:-])\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d\d(?=[T ,]+\d{1,2}:\d\d))(?![\d.])`,
    String.raw`\d{4}\u5e74\d{1,2}\u6708`,
    String.raw`(?<![A-Za-z])${MONTH}[ .,/-]+\d{1,2}(?!\d)`,
    String.raw`(?<!\d)\d{1,2}[ ./-]+${MONTH}(?![a-z])`,
    String.raw`(?<![\w.:-])\d{8}T\d{4,6}`,
  ].join('|'),
);
/** Matches seconds, milliseconds, microseconds or nanoseconds of a moment from September 2001 to 2036. */
const EPOCH = /(?<![\w.:-])(?:1\d{9}|20\d{8})(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?(?![\w.:-])/;

export const mayBeTime = (text: string): boolean => DATE.test(text) || EPOCH.test(text);
