import { ERRORS } from '../contract/errors.ts';
import { ERRORS_ZH } from '../contract/errors-zh.ts';
import { CHINESE } from '../core/texts/chinese.ts';
import { chineseFault } from '../core/texts/chinese-fault.ts';
import type { Language } from '../core/texts/said.ts';
import type { Problem } from './problem.ts';

/**
 * Returns a problem's message in the reader's language. A message for a single case stays English where no
 * translation exists.
 */
export const problemText = ({ code, message }: Pick<Problem, 'code' | 'message'>, language: Language): string => {
  if (language === 'en') return message;
  if (message === ERRORS[code].message) return ERRORS_ZH[code];
  const table: Readonly<Record<string, string>> = CHINESE;
  return table[message] ?? chineseFault(message);
};
