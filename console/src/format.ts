/**
 * Dates, numbers and names as the reader's language writes them. Everything goes through Intl; no word of a
 * language stands here.
 */

/**
 * Chinese text sets a number apart from the word after it, as the site's own sentences do; Intl writes the
 * two together.
 */
const spaced = (text: string): string => text.replace(/(\d)(?=\p{Script=Han})/gu, '$1 ');

export const formatInstant = (tag: string, at: Date): string =>
  new Intl.DateTimeFormat(tag, { dateStyle: 'medium', timeStyle: 'medium' }).format(at);

/** A date alone. */
export const formatDay = (tag: string, at: Date): string =>
  new Intl.DateTimeFormat(tag, { dateStyle: 'medium' }).format(at);

/** A moment's date without its year; a date of another zone, `YYYY-MM-DD`, is the same wherever the reader is. */
export const formatDate = (tag: string, at: number | string): string =>
  new Intl.DateTimeFormat(tag, {
    month: 'short',
    day: 'numeric',
    ...(typeof at === 'string' && { timeZone: 'UTC' }),
  }).format(new Date(at));

export const formatNumber = (tag: string, value: number): string => new Intl.NumberFormat(tag).format(value);

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** "in 3 hours", "5 minutes ago": the largest unit that is at least one. */
export function formatRelative(tag: string, at: Date, now = new Date()): string {
  const distance = at.getTime() - now.getTime();
  const [unit, size] = UNITS.find(([, length]) => Math.abs(distance) >= length) ?? ['second', 1000];
  return spaced(new Intl.RelativeTimeFormat(tag, { numeric: 'auto' }).format(Math.round(distance / size), unit));
}

/** A length of time in its largest fitting unit: "13 minutes", "23 hours", "60 days". */
export function formatAge(tag: string, minutes: number): string {
  const [unit, value] =
    minutes < 120
      ? (['minute', minutes] as const)
      : minutes < 2880
        ? (['hour', minutes / 60] as const)
        : (['day', minutes / 1440] as const);
  return spaced(
    new Intl.NumberFormat(tag, {
      style: 'unit',
      unit,
      unitDisplay: 'long',
      maximumFractionDigits: unit === 'minute' ? 0 : 1,
    }).format(value),
  );
}

/** A number of days, or a span of them: "30 days", "14–28 days". */
export function formatDays(tag: string, from: number, to: number): string {
  const days = new Intl.NumberFormat(tag, { style: 'unit', unit: 'day', unitDisplay: 'long' });
  return spaced(from === to ? days.format(from) : days.formatRange(from, to).replace('-', '–'));
}

/** Country name in the reader's language; the code itself when the browser knows none. */
export const countryName = (tag: string, code: string): string =>
  new Intl.DisplayNames(tag, { type: 'region' }).of(code) ?? code;

/** Wall-clock time in a zone, or undefined when the browser does not know the zone. */
export function timeInZone(tag: string, zone: string, at: Date): string | undefined {
  try {
    return new Intl.DateTimeFormat(tag, { timeZone: zone, hour: '2-digit', minute: '2-digit', weekday: 'short' })
      .format(at)
      .replace(/(\p{Script=Han})(?=\d)/u, '$1 ');
  } catch {
    return undefined;
  }
}

/** The reader's own zone with its offset at that moment: "Asia/Shanghai, UTC+8". */
export function ownZone(at: Date): string {
  const format = new Intl.DateTimeFormat('en', { timeZoneName: 'shortOffset' });
  const offset = format
    .formatToParts(at)
    .find(({ type }) => type === 'timeZoneName')
    ?.value.replace('GMT', 'UTC');
  return [format.resolvedOptions().timeZone, offset].filter((part) => part !== undefined).join(', ');
}

/** The last instant of a chosen day (`YYYY-MM-DD`) where the reader is, RFC 3339. */
export const endOfDay = (day: string): string => new Date(`${day}T23:59:59.999`).toISOString();
