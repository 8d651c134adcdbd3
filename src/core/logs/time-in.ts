import { monthNumber, newestTime, utcOf } from '../collection/logs/wall-time.ts';
import { readTime } from '../feeds/read-time.ts';
import type { UnixMs } from '../units.ts';
import { bracketTime } from './bracket-time.ts';

/** Longest text that is looked at for a time, bytes. */
const TIME_MAX = 64;
const OPEN = '[';
const CLOSE = ']';

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const inBrackets = bracketTime();

/** Reads a time in a span of bytes: as `readTime`, and that of access logs. Without a zone it is UTC. */
export function timeIn(bytes: Uint8Array, from: number, to: number): UnixMs | undefined {
  if (to <= from || to - from > TIME_MAX) return undefined;
  return timeOfText(decoder.decode(bytes.subarray(from, to)));
}

/** As `timeIn`, of a text. */
export function timeOfText(text: string): UnixMs | undefined {
  const read = readTime(text);
  if (read !== undefined || !/\d\d\/[A-Za-z]{3}\/\d{4}:/.test(text)) return read;
  const bracketed = encoder.encode(text.startsWith(OPEN) ? text : `${OPEN}${text}${CLOSE}`);
  return inBrackets(bracketed, 0, bracketed.length);
}

/** RFC 3339, and as W3C and database logs write it. */
const WRITTEN = /\d{4}-\d\d-\d\d[T \t]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?/;
/** Bytes of a line in which its time is sought. */
const WRITTEN_WITHIN = 200;

/** Old syslog (RFC 3164, 4.1.2), perhaps with its priority in front. */
const WITHOUT_YEAR = /^(?:<\d{1,3}>)?([A-Z][a-z]{2}) ([ \d]\d) (\d\d):(\d\d):(\d\d) /;

/** The first time in a line that begins with its year, or the one of old syslog that the line begins with. @param now the clock; undefined: a time without a year is passed over */
export function writtenTime(bytes: Uint8Array, from: number, to: number, now: UnixMs | undefined): UnixMs | undefined {
  const text = decoder.decode(bytes.subarray(from, Math.min(to, from + WRITTEN_WITHIN)));
  const bsd = now === undefined ? null : WITHOUT_YEAR.exec(text);
  if (bsd !== null) {
    const [, name, ...numbers] = bsd;
    const [day, hour, minute, second] = numbers.map(Number) as [number, number, number, number];
    return newestTime(now!, (year) => utcOf({ year, month: monthNumber(name!), day, hour, minute, second, ms: 0 }));
  }
  const [written] = WRITTEN.exec(text) ?? [];
  return written === undefined ? undefined : timeOfText(written.replace('\t', ' '));
}
