import { CHINESE } from './chinese.ts';
import { type Language, type Said, worded } from './said.ts';

/**
 * The sentence in a language; a kept one that this release does not know stays English. Who words in English
 * alone (`worded`) does without the table.
 */
export const inLanguage = (language: Language, sentence: Said): string =>
  language === 'zh' ? worded(sentence, (text) => CHINESE[text] ?? text) : worded(sentence);

export const inLanguages = (sentence: Said): { readonly en: string; readonly zh: string } => ({
  en: worded(sentence),
  zh: inLanguage('zh', sentence),
});
