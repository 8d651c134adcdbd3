import { useEffect } from 'react';
import { useLocale } from './locale.tsx';

/** Names the page in the browser's title: the page first, so that tabs and screen readers tell pages apart. */
export function usePageTitle(title: string): void {
  const { t } = useLocale();
  useEffect(() => {
    document.title = `${title} · ${t.site.name}`;
  }, [title, t]);
}

/** Keeps the document's language, description and alternates true while pages change without a new document. */
export function useDocumentHead(bare: string): void {
  const { t, tag } = useLocale();
  useEffect(() => {
    document.documentElement.lang = tag;
    document.querySelector('meta[name="description"]')?.setAttribute('content', t.site.description);
    const rest = bare === '/' ? '' : bare;
    for (const [language, path] of [
      ['zh-CN', rest || '/'],
      ['en', `/en${rest}`],
    ] as const)
      document.querySelector(`link[hreflang="${language}"]`)?.setAttribute('href', `${location.origin}${path}`);
  }, [bare, t, tag]);
}
