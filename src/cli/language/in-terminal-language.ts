import { CHINESE, type Text } from '../../core/texts/chinese.ts';
import { chineseReader } from '../../core/texts/chinese-of.ts';
import { isChinese } from './say.ts';

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

const chinese = chineseReader(Object.fromEntries(SENTENCES.map((text) => [text, CHINESE[text]])));

/** Text of that library for the person at the terminal; other text as it is. */
export const inTerminalLanguage = (text: string): string =>
  isChinese() ? text.split('\n').map(chinese).join('\n') : text;
