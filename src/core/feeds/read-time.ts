import { type UnixMs, unixMs } from '../units.ts';

const ISO_LIKE =
  /^(\d{4})[-/](\d\d)[-/](\d\d)(?:[T _-](\d\d)[:-](\d\d)(?:[:-](\d\d)(\.\d+)?)?)?\s*(Z|UTC|\(UTC\)|GMT|[+-]\d\d:?\d\d)?$/i;
const UNIX = /^\d{9,10}(\.\d+)?$/;
const UNIX_MS = /^\d{12,13}$/;
/** As logs of Cloudflare have them. */
const UNIX_NS = /^\d{19}$/;

/** Reads the time spellings found in lists; a time without zone is UTC, a date alone its first moment. */
export function readTime(text: string): UnixMs | undefined {
  const value = text.trim();
  if (UNIX.test(value)) return unixMs(Math.round(Number(value) * 1000));
  if (UNIX_MS.test(value)) return unixMs(Number(value));
  if (UNIX_NS.test(value)) return unixMs(Number(value.slice(0, -6)));
  const iso = ISO_LIKE.exec(value);
  if (iso !== null) return fromIso(iso);
  // "Sat, 22 Aug 2026 03:00:29 +0200" and "Wed Oct 08 2025 01:02:29 GMT+0000 (…)"; a zone is required, the machine's own must not matter.
  if (!/^[A-Z][a-z]{2},? .*(GMT|UTC|[+-]\d{4})/.test(value)) return undefined;
  const parsed = Date.parse(value);
  return Number.isNaN(parsed) ? undefined : unixMs(parsed);
}

function fromIso(match: RegExpExecArray): UnixMs | undefined {
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', zone = 'Z'] = match;
  const offset = /^[+-]/.test(zone) ? `${zone.slice(0, 3)}:${zone.slice(-2)}` : 'Z';
  const parsed = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}${fraction.slice(0, 4)}${offset}`);
  if (Number.isNaN(parsed)) return undefined;
  // Date.parse rolls 30 February over into March; a date that does not exist is not a date.
  const atMidnight = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return atMidnight.getUTCDate() === Number(day) ? unixMs(parsed) : undefined;
}

/** Publication time stated in the leading comments of a text list ("# Last update: …"); undefined when there is none. */
export function statedPublication(head: string): UnixMs | undefined {
  for (const line of head.split('\n')) {
    if (!/^\s*[#;/]/.test(line)) continue;
    const stated =
      /(?:last[ _-]?(?:update|updated|modified)|updated|generated(?: on| at)?|list date|created)\s*[:=]\s*(.+?)\s*$/i.exec(
        line,
      );
    const time = stated?.[1] === undefined ? undefined : readTime(stated[1].replace(/[#\s]+$/, ''));
    if (time !== undefined) return time;
  }
  return undefined;
}
