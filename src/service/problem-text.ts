import { ERRORS, ERRORS_ZH } from '../contract/errors.ts';
import { CHINESE } from '../core/texts/chinese.ts';
import { inLanguage, type Language } from '../core/texts/said.ts';
import type { Problem } from './problem.ts';

/**
 * Returns a problem's message in the reader's language. A message for a single case stays English where no
 * translation exists.
 */
export const problemText = (
  { code, message, sentence }: Pick<Problem, 'code' | 'message'> & { readonly sentence?: Problem['sentence'] },
  language: Language,
): string => {
  if (language === 'en') return message;
  if (sentence !== undefined) return inLanguage(language, sentence);
  if (message === ERRORS[code].message) return ERRORS_ZH[code];
  const table: Readonly<Record<string, string>> = CHINESE;
  return table[message] ?? message;
};
