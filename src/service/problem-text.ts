import { ERRORS } from '../contract/errors.ts';
import { ERRORS_ZH } from '../contract/errors-zh.ts';
import { CHINESE } from '../core/texts/chinese.ts';
import { chineseFault } from '../core/texts/chinese-fault.ts';
import type { Language } from '../core/texts/said.ts';
import type { Problem } from './problem.ts';

/** The message of a problem in its reader's language. One that was worded for a single case stays English where there is no Chinese for it. */
export const problemText = ({ code, message }: Pick<Problem, 'code' | 'message'>, language: Language): string => {
  if (language === 'en') return message;
  if (message === ERRORS[code].message) return ERRORS_ZH[code];
  const table: Readonly<Record<string, string>> = CHINESE;
  return table[message] ?? chineseFault(message);
};
