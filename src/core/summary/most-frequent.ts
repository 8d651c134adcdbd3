import type { SummaryRow } from '../../contract/traffic-summary.ts';

const VALUES_MAX = 16;

export function addValue(counts: Map<string, number>, value: string): void {
  const known = counts.get(value);
  if (known !== undefined || counts.size < VALUES_MAX) counts.set(value, (known ?? 0) + 1);
}

export const mostFrequent = (counts: ReadonlyMap<string, number>, most: number): readonly SummaryRow<string>[] =>
  [...counts]
    .sort(([a, one], [b, other]) => other - one || (a < b ? -1 : 1))
    .slice(0, most)
    .map(([value, lines]) => ({ value, lines }));
