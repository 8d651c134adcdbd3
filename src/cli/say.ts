import type { Text } from '../core/texts/chinese.ts';
import { inLanguage, type Said, type With } from '../core/texts/said.ts';
import { languageOf } from './language-of.ts';

/** A sentence in the language of the person at the terminal. */
export function say<T extends Text>(text: T, ...values: With<T>): string;
export function say(sentence: Said): string;
export function say(sentence: Said | Text, values: Said['values'] = {}): string {
  return inLanguage(languageOf(process.argv), typeof sentence === 'string' ? { text: sentence, values } : sentence);
}
