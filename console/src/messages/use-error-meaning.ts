import tables from '../../../docs/zh-CN/errors.md?tables';
import { ERRORS, type ErrorCode } from '../../../src/contract/errors.ts';
import { useLocale } from '../locale.tsx';

/** Meaning of a code: English from the error table itself, Chinese from the manual's. */
export function useErrorMeaning(): (code: ErrorCode) => string {
  const { locale } = useLocale();
  return (code) => (locale === 'zh' ? tables[0]?.[code]?.[1] : undefined) ?? ERRORS[code].message;
}
