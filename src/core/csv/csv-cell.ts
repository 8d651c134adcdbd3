const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * A cell as RFC 4180 quotes it. A leading = + - @ is preceded by an apostrophe, so that no spreadsheet takes text for a formula; a number stays as it is.
 * @param separator one character
 */
export function csvCell(value: string, separator = ','): string {
  const safe = /^[=+\-@\t\r]/.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A row of cells with its line end. */
export const csvLine = (cells: readonly string[]): string => `${cells.map((cell) => csvCell(cell)).join(',')}\r\n`;
