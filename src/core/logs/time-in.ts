import { monthNumber, newestTime, utcOf } from '../collection/logs/log-event.ts';
import { readTime } from '../feeds/read-time.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../units.ts';
import { mergeClock } from './merge-clock.ts';

const TIME_MAX = 64;
const decoder = new TextDecoder();

export type Span = readonly [from: number, to: number];

/**
 * Reads a time in a span of bytes in the forms of `readTime` and of logs, without a zone as UTC.
 * @param clock where the time of day stands apart
 */
export function timeIn(bytes: Uint8Array, date: Span, clock?: Span): UnixMs | undefined {
  const textOf = ([from, to]: Span): string =>
    to - from > TIME_MAX ? '' : decoder.decode(bytes.subarray(from, Math.max(from, to)));
  const text = clock === undefined ? textOf(date) : mergeClock(textOf(date), textOf(clock));
  return text === undefined ? undefined : timeOfText(text);
}

export function timeOfText(text: string): UnixMs | undefined {
  const value = text.trim();
  return readTime(value) ?? epochTime(value) ?? spelledTime(value);
}

/** Accepts seconds with a fraction, milli-, micro- and nanoseconds since 1970, of this century. */
function epochTime(text: string): UnixMs | undefined {
  if (!/^1\d{9}(?:\.\d+|\d{3}|\d{6}|\d{9})?$/.test(text)) return undefined;
  const [whole = '', fraction = ''] = text.split('.');
  return unixMs(Number(`${whole}${fraction}`.padEnd(13, '0').slice(0, 13)));
}

const CLOCK = String.raw`(?<hour>\d\d?):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.(?<fraction>\d{1,9})|,(?<millis>\d{3})(?!\d))?)?(?!\d)(?: ?(?<half>[AP]M)\b)?`;
const ZONE = String.raw`(?: ?(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d)(?![\w:]))?`;
const SPELLINGS: readonly RegExp[] = [
  // RFC 3339, and as W3C, databases, nginx's error log and Chinese spreadsheets write it.
  new RegExp(
    String.raw`(?<![\d.-])(?<year>\d{4})[-/.年](?<month>\d\d?)[-/.月](?<day>\d\d?)日?(?:[T \t_]+| - )${CLOCK}${ZONE}`,
  ),
  // Audit logs of MariaDB and logs of CDNs.
  new RegExp(String.raw`^(?<year>20\d\d)(?<month>\d\d)(?<day>\d\d)[ T]${CLOCK}${ZONE}`),
  /^"?(?<year>20\d\d)(?<month>\d\d)(?<day>\d\d)T?(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)Z?(?!\w)/,
  // The comma and the half of the day are those of the United States, where the month comes first.
  new RegExp(String.raw`(?<![\w/])(?<month>\d\d?)/(?<day>\d\d?)/(?<year>\d{4}), (?=[\d:.]{7,18} [AP]M)${CLOCK}`),
  // FortiGate and other `key=value` logs write it so.
  new RegExp(
    String.raw`\bdate="?(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)"?[ ,]+time="?${CLOCK}"?(?:.*?\btz="?(?<zone>[+-]\d\d:?\d\d))?`,
  ),
  // Access logs and BIND write it so.
  new RegExp(String.raw`(?<![\w/])(?<day>\d\d)[/-](?<month>[A-Z][A-Za-z]{2})[/-](?<year>\d{4})[: ]${CLOCK}${ZONE}`),
  // Apache's error log and ctime write it so.
  new RegExp(
    String.raw`[A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) {1,2}(?<day>\d{1,2}) ${CLOCK}(?: (?:UTC|GMT))? (?<year>\d{4})`,
  ),
  // Cisco and RFC 822 write it so.
  new RegExp(
    String.raw`(?<!\w)(?<month>[A-Z][a-z]{2}) {1,2}(?<day>\d{1,2}),? (?<year>\d{4})(?: at)?,? ${CLOCK}${ZONE}`,
  ),
  new RegExp(String.raw`(?<!\w)(?<day>\d{1,2}) (?<month>[A-Z][a-z]{2}) (?<year>\d{4}),? ${CLOCK}${ZONE}`),
  // OSSEC and Wazuh write it so.
  new RegExp(String.raw`(?<!\w)(?<year>20\d\d) (?<month>[A-Z][a-z]{2}) {1,2}(?<day>\d{1,2}) ${CLOCK}`),
  // With dots the day comes first: Germany and most of Europe.
  new RegExp(String.raw`(?<![\w.])(?<day>\d{1,2})\.(?<month>\d{1,2})\.(?<year>\d{4}),? +${CLOCK}${ZONE}`),
  // Snort and Suricata write it so; other logs with slashes do not say whether the month comes first.
  new RegExp(String.raw`(?<!\w)(?<month>\d\d)/(?<day>\d\d)/(?<year>\d{4})-${CLOCK}`),
  new RegExp(String.raw`(?<!\w)(?<month>[A-Z][a-z]{2}) {1,2}(?<day>\d{1,2}) ${CLOCK} (?<year>20\d\d)(?!\d)`),
];
/** Epoch times count at the beginning of a line, or as the value of such a key. */
const EPOCH = /^(?:<\d{1,3}>:? {0,3}(?:\d{1,2} )?)?\[?(1\d{9}(?:\.\d+|\d{3}|\d{6}|\d{9})?):?(?=[\s,;\]|])/;
/** Linux's audit log, and the first of the two times in a flow log of AWS. */
const EPOCH_INSIDE = /\baudit\((1\d{9}\.\d+):|\s(1\d{9}) 1\d{9} (?:ACCEPT|REJECT|-) /;
const EPOCH_KEY =
  /\b(?:rt|eventtime|timestamp|ts|time|start|devTime|startTime|_time)["']?[=:]["' ]*(1\d{9}(?:\.\d+|\d{3}|\d{6}|\d{9})?)(?!\d)/i;

function spelledTime(text: string): UnixMs | undefined {
  let first: RegExpExecArray | undefined;
  for (const spelling of SPELLINGS) {
    const match = spelling.exec(text);
    if (match !== null && (first === undefined || match.index < first.index)) first = match;
  }
  return first?.groups && timeOfGroups(first.groups);
}

function timeOfGroups(groups: Readonly<Record<string, string | undefined>>): UnixMs | undefined {
  const part = (name: string): number => Number(groups[name]);
  const { month = '', second = '0', half, zone = 'Z' } = groups;
  const fraction = groups['fraction'] ?? groups['millis'] ?? '';
  const at = utcOf({
    year: part('year'),
    month: /^\d/.test(month) ? Number(month) : monthNumber(month),
    day: part('day'),
    hour: half === undefined ? part('hour') : (part('hour') % 12) + (half === 'PM' ? 12 : 0),
    minute: part('minute'),
    second: Number(second),
    ms: Number(fraction.padEnd(3, '0').slice(0, 3)),
  });
  const offset = /^([+-])(\d\d):?(\d\d)$/.exec(zone);
  if (at === undefined || offset === null) return at;
  const minutes = 60 * Number(offset[2]) + Number(offset[3]);
  return unixMs(at - (offset[1] === '-' ? -1 : 1) * minutes * MINUTE_MS);
}

const SOUGHT_WITHIN = 4096;
/** Old syslog (RFC 3164, 4.1.2), perhaps with its priority or the numbers and names of Cisco in front. */
const WITHOUT_YEAR =
  /^(?:<\d{1,3}>:? {0,3}(?:\d{1,2} )?)?(?:[\w./-]{1,64}: ?){0,3}\*?(?<month>[A-Z][a-z]{2}) (?<day>[ \d]?\d) (?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)(?:\.\d+)?(?: (?:UTC|GMT)(?=:))?:? (?!\d{4} )/;
/** `last` writes neither seconds nor the year. */
const LAST =
  / [A-Z][a-z]{2} (?<month>[A-Z][a-z]{2}) {1,2}(?<day>\d{1,2}) (?<hour>\d\d):(?<minute>\d\d)(?= - | {3}still)/;
const SNORT = /^(?<month>\d\d)\/(?<day>\d\d)-(?<hour>\d\d):(?<minute>\d\d):(?<second>\d\d)\.\d{6}(?=\s)/;

/**
 * Finds the time of a line: old syslog's at its beginning, with a year where the line says the same day
 * again; else the first with a year, else an epoch time.
 * @param now the clock; undefined skips a time without a year
 */
export function lineTime(line: string, now: UnixMs | undefined): UnixMs | undefined {
  const text = line.slice(0, SOUGHT_WITHIN);
  const match = now === undefined ? null : (WITHOUT_YEAR.exec(text) ?? SNORT.exec(text) ?? LAST.exec(text));
  if (match !== null) {
    const inYear = (year: number): UnixMs | undefined => timeOfGroups({ ...match.groups, year: String(year) });
    const stated = spelledTime(text.slice(match[0].length));
    const near = stated === undefined ? undefined : inYear(new Date(stated).getUTCFullYear());
    return near !== undefined && Math.abs(near - stated!) <= DAY_MS ? stated : newestTime(now!, inYear);
  }
  const epoch = EPOCH.exec(text)?.[1];
  if (epoch !== undefined) return epochTime(epoch);
  const inside = EPOCH_INSIDE.exec(text);
  if (inside !== null) return epochTime((inside[1] ?? inside[2])!);
  const spelled = spelledTime(text);
  if (spelled !== undefined) return spelled;
  const keyed = EPOCH_KEY.exec(text)?.[1];
  return keyed === undefined ? undefined : epochTime(keyed);
}

export const writtenTime = (bytes: Uint8Array, from: number, to: number, now: UnixMs | undefined): UnixMs | undefined =>
  lineTime(decoder.decode(bytes.subarray(from, Math.min(to, from + SOUGHT_WITHIN))), now);
