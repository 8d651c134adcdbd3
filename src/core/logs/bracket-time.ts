import { monthNumber, utcOf } from '../collection/logs/log-event.ts';
import { MINUTE_MS, type UnixMs, unixMs } from '../units.ts';

const OPEN = 91;
const CLOSE = 93;
const SLASH = 47;
const COLON = 58;
const SPACE = 32;
const MINUS = 45;
const PLUS = 43;
const LENGTH = 27;
const DATE_LENGTH = 11;

export type BracketTime = (bytes: Uint8Array, from: number, to: number) => UnixMs | undefined;

/**
 * Reads the times of access logs from bytes. It remembers the last date, because neighbouring lines share
 * theirs.
 */
export function bracketTime(): BracketTime {
  const date = new Uint8Array(DATE_LENGTH);
  let dateAt: number | undefined;
  return (bytes, from, to) => {
    for (let at = bytes.indexOf(OPEN, from); at >= 0 && at + LENGTH < to; at = bytes.indexOf(OPEN, at + 1)) {
      if (!hasShape(bytes, at)) continue;
      if (!isAt(bytes, at + 1, date)) {
        date.set(bytes.subarray(at + 1, at + 1 + DATE_LENGTH));
        dateAt = dateOf(String.fromCharCode(...date));
      }
      const time = dateAt === undefined ? undefined : timeOf(bytes, at, dateAt);
      if (time !== undefined) return time;
    }
    return undefined;
  };
}

function isAt(bytes: Uint8Array, at: number, expected: Uint8Array): boolean {
  for (let i = 0; i < DATE_LENGTH; i++) if (bytes[at + i] !== expected[i]) return false;
  return true;
}

function hasShape(bytes: Uint8Array, at: number): boolean {
  const sign = bytes[at + 22];
  return (
    bytes[at + 3] === SLASH &&
    bytes[at + 7] === SLASH &&
    bytes[at + 12] === COLON &&
    bytes[at + 15] === COLON &&
    bytes[at + 18] === COLON &&
    bytes[at + 21] === SPACE &&
    (sign === PLUS || sign === MINUS) &&
    bytes[at + LENGTH] === CLOSE
  );
}

function dateOf(text: string): number | undefined {
  if (!/^\d\d\/[A-Za-z]{3}\/\d{4}$/.test(text)) return undefined;
  return utcOf({
    year: Number(text.slice(7)),
    month: monthNumber(text.slice(3, 6)),
    day: Number(text.slice(0, 2)),
    hour: 0,
    minute: 0,
    second: 0,
    ms: 0,
  });
}

function timeOf(bytes: Uint8Array, at: number, date: number): UnixMs | undefined {
  const pair = (offset: number): number => {
    const [tens, ones] = [bytes[at + offset]! - 48, bytes[at + offset + 1]! - 48];
    return tens < 0 || tens > 9 || ones < 0 || ones > 9 ? Number.NaN : 10 * tens + ones;
  };
  const [hour, minute, second, zoneHour, zoneMinute] = [pair(13), pair(16), pair(19), pair(23), pair(25)];
  if (!(hour <= 23 && minute <= 59 && second <= 60 && zoneHour <= 23 && zoneMinute <= 59)) return undefined;
  const offset = (bytes[at + 22] === MINUS ? -1 : 1) * (60 * zoneHour + zoneMinute) * MINUTE_MS;
  return unixMs(date + (60 * hour + minute) * MINUTE_MS + 1000 * Math.min(second, 59) - offset);
}
