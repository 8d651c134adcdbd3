/** Tables and logs often write the date and the time of day apart. */
const DATE = /^(?:\d{4}[-/]\d\d[-/]\d\d|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}[-/][A-Z][a-z]{2}[-/]\d{4})$/;
const CLOCK =
  /^(?<hour>\d{1,2})(?<minute>:\d\d)(?<second>:\d\d(?:[.,]\d{1,9})?)?(?: ?(?<half>[AP]M))?(?: ?(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d))?$/i;

export const isDate = (text: string): boolean => DATE.test(text.trim());
export const isClock = (text: string): boolean => CLOCK.test(text.trim());

/** @returns one text that `timeOfText` reads; undefined where the second part is no time of day */
export function mergeClock(date: string, clock: string): string | undefined {
  const { hour, minute, second = ':00', half, zone = '' } = CLOCK.exec(clock.trim())?.groups ?? {};
  if (hour === undefined) return undefined;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (/^p/i.test(half) ? 12 : 0);
  return `${date.trim()} ${String(hours).padStart(2, '0')}${minute}${second.replace(',', '.')}${zone}`;
}
