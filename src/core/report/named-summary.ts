import type { SummaryAddress, TrafficSummary } from '../../contract/traffic-summary.ts';

/** The name by which an address of a summary is known. */
export type SummaryIdentity = Partial<Pick<SummaryAddress, 'scanner' | 'service' | 'shared_by'>>;

/** Every address that a summary names. */
export const namedAddresses = ({ top, against }: TrafficSummary): readonly SummaryAddress[] => [
  ...top.riskiest,
  ...top.addresses,
  ...(against === undefined ? [] : [...against.new, ...against.gone]),
];

/** The summary with what its named addresses are known as. */
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
