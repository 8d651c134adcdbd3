import { useLocale } from '../locale.tsx';
import { FIELD_MEANINGS_ZH, PATH_MEANINGS_ZH } from './field-meanings-zh.ts';

interface Field {
  readonly path: string;
  readonly name: string;
  /** English, from openapi.json. */
  readonly description?: string | undefined;
}

/** Meaning of a field in the reader's language. `phone`: the document is about phone numbers. */
export function useFieldMeaning(): (field: Field, phone: boolean) => string {
  const { locale } = useLocale();
  return ({ path, name, description }, phone) => {
    const chinese =
      (phone ? PATH_MEANINGS_ZH[`phone ${path}`] : undefined) ?? PATH_MEANINGS_ZH[path] ?? FIELD_MEANINGS_ZH[name];
    return (locale === 'zh' ? chinese : undefined) ?? description ?? '';
  };
}
