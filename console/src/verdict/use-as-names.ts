import type { ShownNames } from '../../../src/contract/shown-names.ts';
import type { AsName } from '../../../src/core/report/report-format.ts';
import { useLoad } from '../api/use-load.ts';

/** Registered names of AS numbers, up to 100, once the service has named them. */
export function useAsNames(asns: readonly (number | undefined)[]): AsName {
  const asked = [...new Set(asns.filter((asn) => asn !== undefined))].sort((a, b) => a - b);
  const { data } = useLoad<ShownNames>(asked.length === 0 ? undefined : `/names?asn=${asked.join(',')}`);
  return (asn) => data?.as_names?.[asn];
}
