/** Tables and logs often write the date and the time of day apart. */
const DATE = /^(?:\d{4}[-/]\d\d?[-/]\d\d?|20\d{6}|\d{1,2}\.\d{1,2}\.\d{4}|\d{1,2}[-/][A-Z][A-Za-z]{2}[-/]\d{4})$/;
const CLOCK = /^\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?: ?[AP]M)?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?$/i;

export const isDate = (text: string): boolean => DATE.test(text.trim());
export const isClock = (text: string): boolean => CLOCK.test(text.trim());

/** @returns one text that `timeOfText` reads; undefined where the second part is no time of day */
export const mergeClock = (date: string, clock: string): string | undefined =>
  isClock(clock) ? `${date.trim()} ${clock.trim().replace(',', '.').toUpperCase()}` : undefined;
