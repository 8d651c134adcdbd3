import type { SummaryAddress, TrafficSummary } from '../../contract/traffic-summary.ts';

export type SummaryIdentity = Partial<Pick<SummaryAddress, 'scanner' | 'service' | 'shared_by'>>;

export const namedAddresses = ({ top, against }: TrafficSummary): readonly SummaryAddress[] => [
  ...top.riskiest,
  ...top.addresses,
  ...(against === undefined ? [] : [...against.new, ...against.gone]),
];

export function namedSummary(
  summary: TrafficSummary,
  identityOf: (address: SummaryAddress) => SummaryIdentity,
): TrafficSummary {
  const { top, against } = summary;
  const named = (rows: readonly SummaryAddress[]): readonly SummaryAddress[] =>
    rows.map((row) => ({ ...row, ...identityOf(row) }));
  return {
    ...summary,
    top: { ...top, addresses: named(top.addresses), riskiest: named(top.riskiest) },
    ...(against && { against: { ...against, new: named(against.new), gone: named(against.gone) } }),
  };
}
