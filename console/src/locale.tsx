import { createContext, type ReactNode, useContext } from 'react';
import { en, type Messages } from './messages/en.ts';
import { zh } from './messages/zh.ts';

/** The site speaks Chinese at `/…` and English at `/en/…`; the path alone decides, so every address can be shared. */
export type Locale = 'zh' | 'en';

const MESSAGES: Readonly<Record<Locale, Messages>> = { zh, en };
const TAGS: Readonly<Record<Locale, string>> = { zh: 'zh-CN', en: 'en' };

interface LocaleValue {
  readonly locale: Locale;
  /** BCP 47 tag for Intl and for the document. */
  readonly tag: string;
  readonly t: Messages;
  /** Address of a page in the current language; `path` starts with a slash. */
  readonly to: (path: string) => string;
  /** The page shown now, in the other language. */
  readonly other: { readonly locale: Locale; readonly tag: string; readonly href: (path: string) => string };
}

export const localeOfPath = (pathname: string): Locale => (pathname === '/en' || pathname.startsWith('/en/') ? 'en' : 'zh');

/** Path without its language prefix: `/en/docs` and `/docs` are both `/docs`. */
export const barePath = (pathname: string): string => (pathname === '/en' ? '/' : pathname.startsWith('/en/') ? pathname.slice(3) : pathname);

const inLocale = (locale: Locale, path: string): string => (locale === 'zh' ? path : path === '/' ? '/en' : `/en${path}`);

const Context = createContext<LocaleValue | undefined>(undefined);

export function LocaleProvider({ locale, children }: { readonly locale: Locale; readonly children: ReactNode }) {
  const otherLocale: Locale = locale === 'zh' ? 'en' : 'zh';
  const value: LocaleValue = {
    locale,
    tag: TAGS[locale],
    t: MESSAGES[locale],
    to: (path) => inLocale(locale, path),
    other: { locale: otherLocale, tag: TAGS[otherLocale], href: (path) => inLocale(otherLocale, path) },
  };
  return <Context value={value}>{children}</Context>;
}

export function useLocale(): LocaleValue {
  const value = useContext(Context);
  if (value === undefined) throw new Error('useLocale outside LocaleProvider');
  return value;
}

/** Fills `{name}` slots of a message. */
export const fill = (message: string, values: Readonly<Record<string, string | number>>): string =>
  message.replace(/\{(\w+)\}/g, (slot, name: string) => String(values[name] ?? slot));
