import { styleText } from 'node:util';
import { terminalProgress } from '../../adapters/system/terminal-progress.ts';
import type { Level } from '../../contract/risk.ts';
import type { ReadingProgress } from '../../core/logs/line-format.ts';
import type { PaintedLine } from '../../core/report/verdict-lines.ts';
import { printable } from '../../core/texts/printable.ts';
import type { Said } from '../../core/texts/said.ts';
import { say } from '../language/say.ts';

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

export function print(json: boolean | undefined, value: unknown, lines: readonly string[]): void {
  if (json === true) printJson(value);
  else printLines(lines);
}

export function printNote(line: string): void {
  process.stderr.write(lineOf(line));
}

export function stepLine(): { readonly update: (step: Said) => void; readonly end: () => void } {
  const show = process.stderr.isTTY ? terminalProgress() : () => {};
  return { update: (step) => show(say(step)), end: () => show('') };
}

const PAUSE_MS = 200;

interface ProgressLine {
  readonly update: (progress: ReadingProgress) => void;
  readonly end: () => void;
}

export function progressLine(work: string): ProgressLine {
  const startedAt = performance.now();
  const show = process.stderr.isTTY ? terminalProgress() : () => {};
  let shownAt = 0;
  const update = (progress: ReadingProgress): void => {
    const elapsedMs = performance.now() - startedAt;
    if (elapsedMs - shownAt < PAUSE_MS) return;
    shownAt = elapsedMs;
    show(`${work}: ${progressText(progress, elapsedMs / 1000)}`);
  };
  return { update, end: () => show('') };
}

export function progressText({ records, share }: ReadingProgress, seconds: number): string {
  const rate = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 }).format(records / seconds);
  if (share === undefined || share === 0) return say('{records:line|lines} · {rate} lines/s', { records, rate });
  const left = Math.round((seconds * (1 - share)) / share);
  const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  return say('{percent} % · {rate} lines/s · {time} left', { percent: Math.floor(100 * share), rate, time });
}
