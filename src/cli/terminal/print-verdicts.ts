import { chineseDivisions } from '../../adapters/layers/chinese-divisions.ts';
import type { Explanation } from '../../contract/documents.ts';
import { namesIn } from '../../core/names/names-in.ts';
import { explainLines } from '../../core/report/explain-lines.ts';
import { type LookupAnswer, verdictLines } from '../../core/report/verdict-lines.ts';
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
  explanations: ReadonlyMap<LookupAnswer, Explanation>,
  geo: Pick<GeoImage, 'asName'>,
  { lang, explain }: { readonly lang: Language; readonly explain?: boolean },
): void {
  const words = WORDS[lang];
  const sourceText = lang === 'zh' ? sourceTextZh : (text: string) => text;
  const lines = (shown: readonly LookupAnswer[]) =>
    verdictLines(shown, {
      words,
      names: namesIn(words.tag, lang === 'zh' ? chineseDivisions() : undefined),
      explanationOf: (document) => explanations.get(document),
      sourceText,
      asName: (asn) => geo.asName(asn),
      width: process.stdout.columns ?? 80,
    });
  if (explain !== true) printPainted(lines(documents));
  for (const document of explain === true ? documents : []) {
    const explanation = explanations.get(document);
    printPainted([
      ...lines([document]),
      ...(explanation === undefined ? [] : explainLines(explanation, { words, sourceText })),
      [''],
    ]);
  }
}
