import type { Explanation, IPRisk, PulseIPRisk } from '../../../../src/contract/documents.ts';
import { type CaseOptions, caseText } from '../../../../src/core/report/case-lines.ts';
import { tierText } from '../../../../src/core/report/explain-lines.ts';
import { sayOrder } from '../../../../src/core/report/say-order.ts';
import type { ShownExplanation } from '../../../../src/core/report/verdict-lines.ts';
import { wordsEn } from '../../../../src/core/report/words-en.ts';
import { wordsZh } from '../../../../src/core/report/words-zh.ts';
import type { Locale } from '../../locale.tsx';

const WORDS = { en: wordsEn, zh: wordsZh };

export const writeOrder = (document: IPRisk, locale: Locale, known: ShownExplanation): string =>
  sayOrder(document, known, WORDS[locale]).sentence;

export const writeTier = (explanation: Explanation, locale: Locale): string => tierText(explanation, WORDS[locale]);

/** Writes a case in the reader's language. */
export const writeCase = (
  document: IPRisk | PulseIPRisk,
  locale: Locale,
  options: Omit<CaseOptions, 'words'>,
): string => caseText(document, { ...options, words: WORDS[locale] });
