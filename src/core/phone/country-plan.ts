import { CALLING_CODES, homePlan } from './home-plan.ts';
import type { NumberingPlan } from './numbering-plan.ts';

const LANGUAGES = ['en', 'zh', 'zh-Hant', 'de', 'fr', 'es', 'ja', 'ru'];

let known: ReadonlyMap<string, string> | undefined;

function isoOfName(name: string): string | undefined {
  known ??= new Map(
    LANGUAGES.flatMap((language) => {
      const names = new Intl.DisplayNames([language], { type: 'region' });
      return [...CALLING_CODES.keys()].map((iso2): [string, string] => [(names.of(iso2) ?? '').toLowerCase(), iso2]);
    }),
  );
  return known.get(name.toLowerCase());
}

/** Reads a cell of a column of countries: `DE`, `49`, `+49`, `0049`, `Germany`, `德国`. */
export function countryPlan(cell: string): NumberingPlan | undefined {
  const text = cell
    .trim()
    .replace(/^'/, '')
    .replace(/^00(?=[1-9])/, '+');
  return text === '' ? undefined : (homePlan(text) ?? homePlan(isoOfName(text) ?? ''));
}
