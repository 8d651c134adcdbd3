import type { RiskType } from '../../../src/contract/risk.ts';
import { useLocale } from '../locale.tsx';
import { useConsole } from './use-console.ts';

/** Name of a kind of evidence. Those other than signals have theirs among the words of the professional view. */
export function useKindName(): (kind: RiskType) => string {
  const { types } = useConsole().evidence;
  const { signal } = useLocale().t.verdict;
  return (kind) => (kind in types ? types[kind as keyof typeof types] : signal[kind as keyof typeof signal].name);
}
