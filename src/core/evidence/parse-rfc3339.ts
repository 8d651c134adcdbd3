import { type UnixMs, unixMs } from '../units.ts';

/** RFC 3339 section 5.6 date-time. `T` and `Z` in either case (section 5.6, note); seconds and an offset are required. */
const DATE_TIME = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

const MONTH_DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

const daysIn = (year: number, month: number): number =>
  month === 2 && (year % 4 === 0 ? year % 100 !== 0 || year % 400 === 0 : false) ? 29 : MONTH_DAYS[month - 1]!;

/**
 * Reads one RFC 3339 date-time, strictly.
 * - A fraction may have any number of digits; those past the millisecond are cut off, because all times here are whole milliseconds.
 * - A leap second is read as the last millisecond before the next second begins, and only where one can be: 23:59:60 UTC on the last day of a month.
 * - A space in place of `T` is refused: an unescaped plus sign arrives as one, and a date-time must not be guessed.
 * @returns undefined when the text is not such a date-time
 */
export function parseRfc3339(text: string): UnixMs | undefined {
  return parseUsual(text) ?? parseAny(text);
}

/** Where `0` stands in texts as most programs write them, `YYYY-MM-DDThh:mm:ssZ` with or without three digits of fraction, and other forms elsewhere. */
const USUAL = '0000-00-00T00:00:00.000Z';
const USUAL_SECONDS = '0000-00-00T00:00:00Z';

/** The usual text, five times as fast: an intake reads two for each row. @returns undefined where the text is another one, or no such moment */
function parseUsual(text: string): UnixMs | undefined {
  const shape = text.length === USUAL.length ? USUAL : text.length === USUAL_SECONDS.length ? USUAL_SECONDS : undefined;
  if (shape === undefined) return undefined;
  for (let i = 0; i < shape.length; i++) {
    const code = text.charCodeAt(i);
    if (shape.charCodeAt(i) === ZERO ? code < ZERO || code > NINE : code !== shape.charCodeAt(i)) return undefined;
  }
  const year = 100 * twoDigits(text, 0) + twoDigits(text, 2);
  const [month, day, hour] = [twoDigits(text, 5), twoDigits(text, 8), twoDigits(text, 11)];
  const [minute, second] = [twoDigits(text, 14), twoDigits(text, 17)];
  // Date.UTC takes years before 100 for those of the last century; a leap second has a rule of its own.
  if (
    year < 100 ||
    month < 1 ||
    month > 12 ||
    day < 1 ||
    day > daysIn(year, month) ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  )
    return undefined;
  const ms = shape === USUAL ? 10 * twoDigits(text, 20) + text.charCodeAt(22) - ZERO : 0;
  return unixMs(Date.UTC(year, month - 1, day, hour, minute, second, ms));
}

const [ZERO, NINE] = [48, 57];
const twoDigits = (text: string, at: number): number =>
  10 * (text.charCodeAt(at) - ZERO) + text.charCodeAt(at + 1) - ZERO;

function parseAny(text: string): UnixMs | undefined {
  const match = DATE_TIME.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index]);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month) || hour > 23 || minute > 59 || second > 60)
    return undefined;
  const offset = offsetMs(match[8], match[9], match[10]);
  if (offset === undefined) return undefined;
  const leap = second === 60;
  const ms = leap ? 999 : Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  date.setUTCHours(hour, minute, leap ? 59 : second, ms);
  const at = date.getTime() - offset;
  return leap && !isLeapPlace(at) ? undefined : unixMs(at);
}

function offsetMs(
  sign: string | undefined,
  hours: string | undefined,
  minutes: string | undefined,
): number | undefined {
  if (sign === undefined) return 0;
  const [h, m] = [Number(hours), Number(minutes)];
  if (h > 23 || m > 59) return undefined;
  return (sign === '-' ? -1 : 1) * (h * 60 + m) * 60_000;
}

/** Whether the second after this instant begins a month in UTC. */
const isLeapPlace = (at: number): boolean => new Date(at + 1).toISOString().slice(8, 23) === '01T00:00:00.000';
