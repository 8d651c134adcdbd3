import type { IncomingHttpHeaders } from 'node:http';
import type { ConsoleLanguage } from '../../../core/oauth/oauth-addresses.ts';
import { cookieValue } from '../answer/cookie-value.ts';
import { weighed } from '../answer/reply-headers.ts';

/** The site's link to the other language sets this cookie, so that a choice outlives the page. */
const CHOSEN = 'pulse_language';

export const LANGUAGE_HEADERS = 'Accept-Language, Cookie';

/**
 * Returns the language chosen on the site, else the browser's preference: English where it accepts neither,
 * and Chinese, the site's own, where it states none.
 */
export function pageLanguage({ cookie, 'accept-language': accepted }: IncomingHttpHeaders): ConsoleLanguage {
  const chosen = cookieValue(cookie, CHOSEN);
  if (chosen === 'zh' || chosen === 'en') return chosen;
  return languageAsked(accepted) ?? 'zh';
}

export function languageAsked(accepted = ''): ConsoleLanguage | undefined {
  const ranges = weighed(accepted).filter(([range]) => range !== '*');
  const best = ranges.find(([range]) => /^(zh|en)(-|$)/.test(range));
  if (ranges.length === 0) return undefined;
  return best?.[0].startsWith('zh') === true ? 'zh' : 'en';
}

/** Returns whether a page is wanted: browsers name text/html when they open one, and nothing else does. */
export function wantsPage({ accept = '' }: IncomingHttpHeaders): boolean {
  const types = weighed(accept);
  const weightOf = (type: string): number => types.find(([name]) => name === type)?.[1] ?? 0;
  return weightOf('text/html') > weightOf('application/json');
}

/**
 * Returns whether Markdown is preferred to a page, as reading programs ask; of equal weights the first
 * counts.
 */
export function prefersMarkdown({ accept = '' }: IncomingHttpHeaders): boolean {
  const first = weighed(accept).find(([name]) => name === 'text/markdown' || name === 'text/html');
  return first?.[0] === 'text/markdown';
}
