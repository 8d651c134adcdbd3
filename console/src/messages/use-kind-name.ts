import { useLocale } from '../locale.tsx';
import { useDocs } from './use-docs.ts';

/** Name of a kind of evidence, or of a source's data. Those other than signals have theirs among the words of the documentation. */
export function useKindName(): (kind: string) => string {
  const { kinds } = useDocs();
  const { signal } = useLocale().t.verdict;
  const names: Readonly<Record<string, string>> = {
    ...Object.fromEntries(Object.entries(signal).map(([kind, { name }]) => [kind, name])),
    ...kinds,
  };
  return (kind) => names[kind] ?? kind;
}
