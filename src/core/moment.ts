import { type UnixMs, unixMs } from './units.ts';

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d{2}):(\d{2}))$/;

/**
 * Reads an RFC 3339 date-time (section 5.6) to the millisecond, finer digits cut off. A date that does not exist, a missing offset and a space where the
 * plus sign was (a bare plus in a query) are refused. Second 60 is accepted as the start of the next second only where a leap second can be: at 23:59 UTC.
 * @returns undefined when the text is no date-time
 */
export function parseMoment(text: string): UnixMs | undefined {
  const match = RFC3339.exec(text);
  if (match === null) return undefined;
  const part = (index: number): number => Number(match[index]);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  const offsetMin = match[8] === undefined ? 0 : (match[8] === '-' ? -1 : 1) * (part(9) * 60 + part(10));
  if (hour > 23 || minute > 59 || second > 60 || (match[8] !== undefined && (part(9) > 23 || part(10) > 59))) return undefined;
  const midnight = Date.UTC(2000, month - 1, day);
  const date = new Date(midnight);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCFullYear() !== year || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const millisecond = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const at = date.getTime() + ((hour * 60 + minute - offsetMin) * 60 + second) * 1000 + millisecond;
  if (second === 60 && (new Date(at).getUTCHours() !== 0 || new Date(at).getUTCMinutes() !== 0)) return undefined;
  return unixMs(at);
}
