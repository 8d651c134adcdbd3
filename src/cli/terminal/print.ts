import { styleText } from 'node:util';
import type { Level } from '../../contract/risk.ts';
import type { PaintedLine } from '../../core/report/verdict-lines.ts';
import { printable } from '../../core/texts/printable.ts';

const lineOf = (text: string): string => `${printable(text)}\n`;

/**
 * Prints lines on standard output. Text of publishers and users in one cannot act on the terminal, nor begin
 * a line of its own.
 */
export function printLines(lines: readonly string[]): void {
  process.stdout.write(lines.map(lineOf).join(''));
}

const COLOURS = { high: 'red', medium: 'yellow', low: 'cyan', none: 'dim' } as const satisfies Record<Level, string>;

/** The same in colours, unless the stream has none or NO_COLOR forbids them. */
export function printPainted(lines: readonly PaintedLine[]): void {
  process.stdout.write(lines.map(lineOfPieces).join(''));
}

export const paintedText = (lines: readonly PaintedLine[]): string => lines.map(lineOfPieces).join('');

const lineOfPieces = (parts: PaintedLine): string => `${parts.map(pieceText).join('')}\n`;

const pieceText = (part: PaintedLine[number]): string =>
  typeof part === 'string'
    ? printable(part)
    : styleText(COLOURS[part.level], printable(part.text), { stream: process.stdout });

/**
 * Prints a value as JSON text, on one line unless it is indented. It means the same to a program, and a
 * terminal obeys nothing in it.
 * @param indent spaces
 */
export function printJson(value: unknown, indent = 0): void {
  printLines(JSON.stringify(value, undefined, indent).split('\n'));
}

export interface AsJson {
  readonly json?: boolean;
}

/** Prints the value as JSON, or lines for a reader. */
export function print(json: boolean | undefined, value: unknown, lines: readonly string[]): void {
  if (json === true) printJson(value);
  else printLines(lines);
}

/** A remark for the person at the terminal, on standard error. */
export function printNote(line: string): void {
  process.stderr.write(lineOf(line));
}
