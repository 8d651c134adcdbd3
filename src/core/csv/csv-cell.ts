import { printableText } from '../texts/printable.ts';

const NUMBER = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * A cell that begins with one of these is a formula, also in full width for spreadsheets in Chinese and
 * Japanese.
 */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/;

/**
 * Quotes a cell as RFC 4180 says. A cell that begins like a formula gets an apostrophe in front; a number
 * stays. Control characters for a terminal are spelled out. @param separator one character
 */
export function csvCell(value: string, separator = ','): string {
  const text = printableText(value);
  const safe = FORMULA.test(text) && !NUMBER.test(text) ? `'${text}` : text;
  return /["\r\n]/.test(safe) || safe.includes(separator) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (cells: readonly string[]): string => `${cells.map((cell) => csvCell(cell)).join(',')}\r\n`;
