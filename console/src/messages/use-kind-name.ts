import { riskTypeWords, signalWords } from '../../../src/contract/risk.ts';
import type { SlugWords } from '../../../src/contract/risk-types.ts';
import { useLocale } from '../locale.tsx';

/** Returns the name of a risk type, of a signal, or of a source's data (`network`). */
export function useKindName(): (kind: string) => string {
  const { locale, t } = useLocale();
  const words: Readonly<Record<string, SlugWords>> = { ...riskTypeWords(locale), ...signalWords(locale) };
  return (kind) => (kind === 'network' ? t.verdict.networkData : (words[kind]?.name ?? kind));
}
