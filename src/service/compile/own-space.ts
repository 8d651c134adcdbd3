import type { LayerRecord } from '../../core/place/layer-record.ts';
import type { NetworkList, PrefixColumns } from '../../core/place/network-list.ts';
import { RangeRows } from '../../engine/ranges/range-rows.ts';
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

/**
 * Gives each range of one family 1 + the index of its list, or 0 outside all. The longer prefix wins, then
 * the later list.
 */
export function listRanges(family: 4 | 6, lists: readonly NetworkList[]): RangeSet {
  const rows = new RangeRows(family);
  for (const [index, { prefixes }] of lists.entries())
    if (prefixes !== undefined) addPrefixes(rows, prefixes, index + 1);
  return rows.partition();
}

function addPrefixes(rows: RangeRows, { length, family, words, bits }: PrefixColumns, id: number): void {
  for (let i = 0; i < length; i++) {
    if (family[i] !== rows.family) continue;
    const first = [0, 0, 0, 0];
    const last = [0, 0, 0, 0];
    for (let w = 0; w < (rows.family === 4 ? 1 : 4); w++) {
      const held = bits[i]! - 32 * w;
      const mask = held <= 0 ? 0 : held >= 32 ? 0xffff_ffff : (0xffff_ffff << (32 - held)) >>> 0;
      first[w] = (words[4 * i + w]! & mask) >>> 0;
      last[w] = (first[w]! | ~mask) >>> 0;
    }
    if (rows.family === 4) rows.add4(first[0]!, last[0]!, id);
    else rows.add6(first, last, id);
  }
}
