import { ERRORS, ERRORS_ZH, type ErrorCode } from '../../../src/contract/errors.ts';
import { useLocale } from '../locale.tsx';

/** Meaning of a code: by the error table of each language. */
export function useErrorMeaning(): (code: ErrorCode) => string {
  const { locale } = useLocale();
  return (code) => (locale === 'zh' ? ERRORS_ZH[code] : ERRORS[code].message);
}
