import { useLocale } from '../locale.tsx';
import { FIELD_MEANINGS, PATH_MEANINGS } from './field-meanings.ts';

interface Field {
  readonly path: string;
  readonly name: string;
  /** The description's own words, for a field this page does not know. */
  readonly description?: string | undefined;
}

/** Meaning of a field in the reader's language. `phone`: the document is about phone numbers. */
export function useFieldMeaning(): (field: Field, phone: boolean) => string {
  const { locale } = useLocale();
  return ({ path, name, description }, phone) => {
    const known = (phone ? PATH_MEANINGS[`phone ${path}`] : undefined) ?? PATH_MEANINGS[path] ?? FIELD_MEANINGS[name];
    return known?.[locale === 'zh' ? 1 : 0] ?? description ?? '';
  };
}
