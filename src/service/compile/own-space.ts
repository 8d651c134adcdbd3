import type { LayerRecord } from '../../core/place/layer-record.ts';
import type { RangeSet } from '../../engine/ranges/range-set.ts';
import { sweepRanges } from '../../engine/ranges/sweep-ranges.ts';

export interface Routes {
  readonly ranges: RangeSet;
  readonly records: readonly (LayerRecord | undefined)[];
}

/**
 * Cuts ranges down to what the AS numbers announce, or nobody does, by the first layer that knows the address. Without
 * routes nothing is left.
 */
export function ownSpace(
  family: 4 | 6,
  ranges: RangeSet,
  holders: readonly number[],
  routes: readonly Routes[],
): RangeSet {
  const own = new Set<number | undefined>(routes.length === 0 ? [] : [undefined, ...holders]);
  return sweepRanges(family, [ranges, ...routes.map((layer) => layer.ranges)], (ids) => {
    const asn = routes.map(({ records }, i) => records[ids[i + 1]!]?.asn).find((known) => known !== undefined);
    return own.has(asn) ? ids[0]! : 0;
  });
}
