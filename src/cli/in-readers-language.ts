import type { Text } from '../core/texts/chinese.ts';
import { say } from './say.ts';

/** Sentences of the library that reads the command line. */
const SENTENCES = [
  "error: option '{flags}' argument '{value}' is invalid. {why}",
  "error: command-argument value '{value}' is invalid for argument '{name}'. {why}",
  "error: missing required argument '{name}'",
  "error: option '{flags}' argument missing",
  "error: required option '{flags}' not specified",
  "error: option '{flags}' cannot be used with option '{other}'",
  "error: unknown option '{flag}'",
  "error: too many arguments for '{command}'. Expected {expected} but got {received}: {words}.",
  "error: unknown command '{name}'",
  'Allowed choices are {choices}.',
  '(Did you mean {one}?)',
  '(Did you mean one of {some}?)',
  'Usage:',
  'Arguments:',
  'Options:',
  'Commands:',
] as const satisfies readonly Text[];

const PATTERNS = [...SENTENCES]
  .sort((a, b) => b.length - a.length)
  .map((text) => ({
    text,
    pattern: new RegExp(`^${text.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{(\w+)\}/g, '(?<$1>.*)')}$`),
  }));

/** Text of that library for the person at the terminal; other text as it is. */
export const inReadersLanguage = (text: string): string => text.split('\n').map(lineInLanguage).join('\n');

function lineInLanguage(line: string): string {
  for (const { text, pattern } of PATTERNS) {
    const found = pattern.exec(line);
    if (found === null) continue;
    const values = Object.entries(found.groups ?? {}).map(([slot, value]) => [slot, lineInLanguage(value)]);
    return say({ text, values: Object.fromEntries(values) });
  }
  return line;
}
