import { useLocale } from '../locale.tsx';
import { FIELD_MEANINGS } from './field-meanings.ts';

/** Meaning of a field in the reader's language; the description's own words for a field this page does not know. */
export function useFieldMeaning(): (name: string, described: string | undefined) => string {
  const { locale } = useLocale();
  return (name, described) => FIELD_MEANINGS[name]?.[locale === 'zh' ? 1 : 0] ?? described ?? '';
}
