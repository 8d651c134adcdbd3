import { chineseDivisions } from '../../adapters/layers/chinese-divisions.ts';
import { namesIn } from '../../core/names/names-in.ts';
import { type AddressIdentity, type LookupAnswer, verdictLines } from '../../core/report/verdict-lines.ts';
import { wordsEn } from '../../core/report/words-en.ts';
import { wordsZh } from '../../core/report/words-zh.ts';
import type { Language } from '../../core/texts/said.ts';
import { sourceTextZh } from '../../core/texts/source-text-zh.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';
import { printPainted } from './print.ts';

const WORDS = { en: wordsEn, zh: wordsZh };

/** Prints verdicts for the person at the terminal. */
export function printVerdicts(
  documents: readonly LookupAnswer[],
  identities: ReadonlyMap<LookupAnswer, AddressIdentity>,
  geo: Pick<GeoImage, 'asName'>,
  language: Language,
): void {
  printPainted(
    verdictLines(documents, {
      words: WORDS[language],
      names: namesIn(WORDS[language].tag, language === 'zh' ? chineseDivisions() : undefined),
      identityOf: (document) => identities.get(document) ?? {},
      sourceText: language === 'zh' ? sourceTextZh : (text) => text,
      asName: (asn) => geo.asName(asn),
      width: process.stdout.columns ?? 80,
    }),
  );
}
