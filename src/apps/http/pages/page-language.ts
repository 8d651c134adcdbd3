import type { IncomingHttpHeaders } from 'node:http';
import type { ConsoleLanguage } from '../../../core/oauth/oauth-addresses.ts';
import { cookieValue } from '../answer/cookie-value.ts';

/** Set by the site's link to the other language, so that a choice outlives the page. */
const CHOSEN = 'pulse_language';

/** Value of `Vary` where the answer depends on `pageLanguage`. */
export const LANGUAGE_HEADERS = 'Accept-Language, Cookie';

/** Language of a visitor: the one chosen on the site, else the browser's preference. English where it speaks neither; Chinese, the site's own, where it says nothing. */
export function pageLanguage({ cookie, 'accept-language': accepted }: IncomingHttpHeaders): ConsoleLanguage {
  const chosen = cookieValue(cookie, CHOSEN);
  if (chosen === 'zh' || chosen === 'en') return chosen;
  return languageAsked(accepted) ?? 'zh';
}

/** The language that an Accept-Language asks for; English where it names neither, undefined where it names none. */
export function languageAsked(accepted = ''): ConsoleLanguage | undefined {
  const ranges = weighed(accepted).filter(([range]) => range !== '*');
  const best = ranges.find(([range]) => /^(zh|en)(-|$)/.test(range));
  if (ranges.length === 0) return undefined;
  return best?.[0].startsWith('zh') === true ? 'zh' : 'en';
}

/** Whether a page is asked for: browsers name text/html when they open one, and nothing else does. */
export function wantsPage({ accept = '' }: IncomingHttpHeaders): boolean {
  const types = weighed(accept);
  const weightOf = (type: string): number => types.find(([name]) => name === type)?.[1] ?? 0;
  return weightOf('text/html') > weightOf('application/json');
}

/** Whether Markdown is preferred to a page, as programs that read ask for it; of equal weights the first counts. */
export function prefersMarkdown({ accept = '' }: IncomingHttpHeaders): boolean {
  const first = weighed(accept).find(([name]) => name === 'text/markdown' || name === 'text/html');
  return first?.[0] === 'text/markdown';
}

/** Entries of an Accept header in lower case with their weights, the heaviest first (RFC 9110, 12.4.2); those of weight 0 are left out. */
const weighed = (header: string): readonly (readonly [name: string, weight: number])[] =>
  header
    .toLowerCase()
    .split(',', 32)
    .map((entry) => {
      const [name = '', ...parameters] = entry.split(';').map((part) => part.trim());
      const weight = parameters.find((part) => part.startsWith('q='));
      return [name, weight === undefined ? 1 : Number(weight.slice(2))] as const;
    })
    .filter(([name, weight]) => name !== '' && weight > 0)
    .toSorted(([, a], [, b]) => b - a);
