import { useLocale } from '../locale.tsx';
import { type DocsMessages, docsEn } from './docs.en.ts';
import { docsZh } from './docs.zh.ts';

export function useDocs(): DocsMessages {
  const { locale } = useLocale();
  return locale === 'zh' ? docsZh : docsEn;
}
