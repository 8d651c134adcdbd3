import { CHINESE, type Text } from '../../core/texts/chinese.ts';
import { fillWords } from '../../core/texts/said.ts';
import { isChinese } from './say.ts';

/** Sentences of the library that reads the command line. It hands out finished text alone, without a code and parameters. */
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

type Reader = (text: string) => string;

export function chineseReader(table: Readonly<Record<string, string>>): Reader {
  const patterns = Object.keys(table).map((text) => [patternOf(text), table[text]!] as const);
  return function chinese(line): string {
    if (Object.hasOwn(table, line)) return table[line]!;
    for (const [pattern, text] of patterns) {
      const found = pattern.exec(line);
      if (found === null) continue;
      const words = Object.entries(found.groups ?? {}).map(([slot, word]) => [slot, chinese(word)]);
      return fillWords(text, Object.fromEntries(words));
    }
    return line;
  };
}

const patternOf = (text: string): RegExp =>
  new RegExp(`^${RegExp.escape(text).replace(/\\\{(\w+)\\\}/g, '(?<$1>.*?)')}$`, 's');

let ofLibrary: Reader | undefined;

export function libraryText(text: string): string {
  if (!isChinese()) return text;
  ofLibrary ??= chineseReader(Object.fromEntries(SENTENCES.map((one) => [one, CHINESE[one]])));
  return text.split('\n').map(ofLibrary).join('\n');
}
