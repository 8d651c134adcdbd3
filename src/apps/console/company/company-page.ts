import { html } from '../../../core/html/html.ts';
import { type ConsoleLanguage, pathPrefix } from '../../../core/oauth/oauth-addresses.ts';
import type { SignOnRefusal } from '../../../service/sign-in/company-provider.ts';
import { page } from '../../http/pages/page.ts';
import { COMPANY_TEXTS } from './company-texts.ts';

/** @param next path that the sign-in was to lead to */
export function companyPage(language: ConsoleLanguage, kind: SignOnRefusal | 'confirmed', next = ''): string {
  const words = COMPANY_TEXTS[language];
  const [title, text] = words[kind];
  const query = next === '' ? '' : `?next=${encodeURIComponent(next)}`;
  const back = html`<p><a href="${pathPrefix(language)}/console/sign-in${query}">${words.back}</a></p>`;
  return page(language, title, html`<h1>${title}</h1><p>${text}</p>${kind === 'confirmed' ? undefined : back}`);
}
