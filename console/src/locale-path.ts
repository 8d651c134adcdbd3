/** The site speaks Chinese at `/…` and English at `/en/…`; the path alone decides, so every address can be shared. */
export type Locale = 'zh' | 'en';

export const localeOfPath = (pathname: string): Locale =>
  pathname === '/en' || pathname.startsWith('/en/') ? 'en' : 'zh';

/** Path without its language prefix: `/en/docs` and `/docs` are both `/docs`. */
export const barePath = (pathname: string): string =>
  pathname === '/en' ? '/' : pathname.startsWith('/en/') ? pathname.slice(3) : pathname;

/** Address of a page (without prefix) in a language. */
export const inLocale = (locale: Locale, path: string): string =>
  locale === 'zh' ? path : path === '/' ? '/en' : `/en${path}`;

export { fillWords as fill } from '../../src/core/texts/said.ts';
