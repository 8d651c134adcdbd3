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

/** The first time in a line that begins with its year. */
export function writtenTime(bytes: Uint8Array, from: number, to: number): UnixMs | undefined {
  const [written] = WRITTEN.exec(decoder.decode(bytes.subarray(from, Math.min(to, from + WRITTEN_WITHIN)))) ?? [];
  return written === undefined ? undefined : timeOfText(written.replace('\t', ' '));
}
