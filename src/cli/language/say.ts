import { CHINESE, type Text } from '../../core/texts/chinese.ts';
import { inLanguage, type Said, type With } from '../../core/texts/said.ts';
import { sourceTextZh } from '../../core/texts/source-text-zh.ts';
import { languageOf } from './language-of.ts';

export const isChinese = (): boolean => languageOf(process.argv) === 'zh';

/** A text that is a sentence of ours without parameters, or somebody else's, which stays as it is. */
export const sayText = (text: string): string =>
  isChinese() && Object.hasOwn(CHINESE, text) ? CHINESE[text as Text] : text;

/** A text about a source: its title, its licence, or why it is left out. */
export const sourceText = (text: string): string => (isChinese() ? sourceTextZh(text) : text);

/** A sentence in the language of the person at the terminal. */
export function say<T extends Text>(text: T, ...values: With<T>): string;
export function say(sentence: Said): string;
export function say(sentence: Said | Text, values: Said['values'] = {}): string {
  return inLanguage(languageOf(process.argv), typeof sentence === 'string' ? { text: sentence, values } : sentence);
}
