import { CHINESE } from './chinese.ts';
import { type Language, type Said, worded } from './said.ts';

/** The sentence in a language. Who words in English alone (`worded`) does without the tables. */
export const inLanguage = (language: Language, sentence: Said): string =>
  language === 'zh' ? worded(sentence, (text) => CHINESE[text]) : worded(sentence);
