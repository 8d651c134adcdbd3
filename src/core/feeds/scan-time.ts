import { readTime } from './read-time.ts';

const ZERO = 48;
const NINE = 57;
const DECODER = new TextDecoder();

function digits(bytes: Uint8Array, from: number, count: number): number {
  let value = 0;
  for (let at = from; at < from + count; at++) {
    const digit = bytes[at]! - ZERO;
    if (digit < 0 || digit > 9) return -1;
    value = value * 10 + digit;
  }
  return value;
}

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/**
 * Dates repeat in a list, so the latest day is kept as year · 10000 + month · 100 + day, with its first
 * millisecond.
 */
let lastDate = -1;
let lastDayMs = 0;

function dayMs(year: number, month: number, day: number): number {
  const date = (year * 100 + month) * 100 + day;
  if (date === lastDate) return lastDayMs;
  if (year < 1970 || month < 1 || month > 12 || day < 1 || day > MONTH_DAYS[month - 1]!) return Number.NaN;
  lastDate = date;
  lastDayMs = Date.UTC(year, month - 1, day);
  return lastDayMs;
}

/**
 * Reads bytes as `readTime` reads a text. The two spellings that fill long lists (`2026-08-22T16:00:00` with
 * `T` or a space and maybe `Z`, and Unix seconds) need no string. Milliseconds since 1970; NaN when it is not
 * a time.
 */
export function scanTime(bytes: Uint8Array, from: number, to: number): number {
  const length = to - from;
  const last = bytes[to - 1]!;
  if (length === 10 && last >= ZERO && last <= NINE) {
    const seconds = digits(bytes, from, 10);
    if (seconds >= 0) return seconds * 1000;
  }
  if ((length === 19 || (length === 20 && last === 90)) && isDateTime(bytes, from)) {
    const hour = digits(bytes, from + 11, 2);
    const minute = digits(bytes, from + 14, 2);
    const second = digits(bytes, from + 17, 2);
    const day = dayMs(digits(bytes, from, 4), digits(bytes, from + 5, 2), digits(bytes, from + 8, 2));
    if (day >= 0 && hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60)
      return day + ((hour * 60 + minute) * 60 + second) * 1000;
  }
  return readTime(DECODER.decode(bytes.subarray(from, to))) ?? Number.NaN;
}

const isDateTime = (bytes: Uint8Array, from: number): boolean =>
  bytes[from + 4] === 45 &&
  bytes[from + 7] === 45 &&
  (bytes[from + 10] === 84 || bytes[from + 10] === 32) &&
  bytes[from + 13] === 58 &&
  bytes[from + 16] === 58;
