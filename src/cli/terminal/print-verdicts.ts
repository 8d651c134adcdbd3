import { chineseDivisions } from '../../adapters/layers/chinese-divisions.ts';
import type { Explanation, IPRisk, PulseIPRisk } from '../../contract/documents.ts';
import { namesIn } from '../../core/names/names-in.ts';
import { caseLines } from '../../core/report/case-lines.ts';
import { explainLines } from '../../core/report/explain-lines.ts';
import { type LookupAnswer, verdictLines } from '../../core/report/verdict-lines.ts';
import { wordsEn } from '../../core/report/words-en.ts';
import { wordsZh } from '../../core/report/words-zh.ts';
import type { Language } from '../../core/texts/said.ts';
import { sourceTextZh } from '../../core/texts/source-text-zh.ts';
import type { UnixMs } from '../../core/units.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';
import { printNote, printPainted } from './print.ts';

export const WORDS = { en: wordsEn, zh: wordsZh };

interface PrintOptions {
  readonly lang: Language;
  readonly explain?: boolean;
  readonly at?: UnixMs | undefined;
  /** Makes each verdict a case, and gives the page of one; undefined where the service has no public address. */
  readonly linkTo?: (document: IPRisk | PulseIPRisk) => string | undefined;
}

export function printVerdicts(
  documents: readonly LookupAnswer[],
  explanations: ReadonlyMap<LookupAnswer, Explanation>,
  geo: Pick<GeoImage, 'asName'>,
  { lang, explain, at, linkTo }: PrintOptions,
): void {
  const words = WORDS[lang];
  const sourceText = lang === 'zh' ? sourceTextZh : (text: string) => text;
  const naming = {
    words,
    names: namesIn(words.tag, lang === 'zh' ? chineseDivisions() : undefined),
    sourceText,
    asName: (asn: number) => geo.asName(asn),
  };
  const lines = (shown: readonly LookupAnswer[]) =>
    verdictLines(shown, {
      ...naming,
      explanationOf: (document) => explanations.get(document),
      width: process.stdout.columns ?? 80,
    });
  if (linkTo !== undefined) {
    for (const document of documents)
      if ('error' in document) printPainted(lines([document]));
      else {
        const explanation = explanations.get(document);
        printPainted([
          ...caseLines(document, { ...naming, explanation, link: linkTo(document), isPast: at !== undefined }),
          [''],
        ]);
      }
    return;
  }
  if (at !== undefined) printNote(`${words.case.moment}: ${new Date(at).toISOString()} · ${words.case.past}`);
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
