import { printableText } from '../texts/printable.ts';

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * Characters at the beginning of a cell that make a formula of it, also in full width, as spreadsheets for
 * Chinese and Japanese take them.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * A cell as RFC 4180 quotes it. What begins like a formula is preceded by an apostrophe; a number stays as it
 * is. What a terminal would obey is spelled out.
 * @param separator one character
 */
export function csvCell(value: string, separator = ','): string {
  const text = printableText(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A row of cells with its line end. */
export const csvLine = (cells: readonly string[]): string => `${cells.map((cell) => csvCell(cell)).join(',')}\r\n`;
