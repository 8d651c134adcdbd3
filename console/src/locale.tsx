import { createContext, type ReactNode, useContext } from 'react';
import { inLocale, type Locale } from './locale-path.ts';
import { en, type Messages } from './messages/en.ts';
import { zh } from './messages/zh.ts';

export { barePath, fill, type Locale, localeOfPath } from './locale-path.ts';

const MESSAGES: Readonly<Record<Locale, Messages>> = { zh, en };
const TAGS: Readonly<Record<Locale, string>> = { zh: 'zh-CN', en: 'en' };

interface LocaleValue {
  readonly locale: Locale;
  /** BCP 47 tag for Intl and for the document. */
  readonly tag: string;
  readonly t: Messages;
  /** Stands between two sentences, or a sentence and its link: Chinese has none behind 。and ？. */
  readonly space: '' | ' ';
  /** Address of a page in the current language; `path` starts with a slash. */
  readonly to: (path: string) => string;
  /** The page shown now, in the other language. */
  readonly other: { readonly locale: Locale; readonly tag: string; readonly href: (path: string) => string };
}

const Context = createContext<LocaleValue | undefined>(undefined);

export function LocaleProvider({ locale, children }: { readonly locale: Locale; readonly children: ReactNode }) {
  const otherLocale: Locale = locale === 'zh' ? 'en' : 'zh';
  const value: LocaleValue = {
    locale,
    tag: TAGS[locale],
    t: MESSAGES[locale],
    space: locale === 'zh' ? '' : ' ',
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
