import type { LayerRecord } from '../../core/place/layer-record.ts';
import { type ListMatch, type MergedNetwork, networkFacts, packFlags } from '../../core/place/network-facts.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import type { RangeSet } from '../../engine/ranges/range-set.ts';
import { sweepRanges } from '../../engine/ranges/sweep-ranges.ts';
import type { LayerPart } from './merge-places.ts';
import { listRanges } from './own-space.ts';

/**
 * Merges network layers (most trusted first) and lists into one partition. Record 0 is empty. The first layer
 * that names an AS number decides its name.
 */
export function mergeNetworks(
  family: 4 | 6,
  layers: readonly LayerPart[],
  lists: readonly NetworkList[],
): { readonly ranges: RangeSet; readonly records: MergedNetwork[]; readonly asNames: ReadonlyMap<number, string> } {
  const byAsn = new Map<number, NetworkList[]>();
  for (const list of lists)
    for (const asn of list.asns ?? []) {
      const own = byAsn.get(asn);
      if (own === undefined) byAsn.set(asn, [list]);
      else own.push(list);
    }
  const prefixed = lists.filter((list) => saysNetwork(list) && list.prefixes?.family.includes(family) === true);
  const knowsRoutes = layers.some(({ records }) => records.some((record) => record?.asn !== undefined));
  const records: MergedNetwork[] = [networkFacts([], [])];
  const byKey = new Map<string, number>([[networkKey(records[0]!), 0]]);
  const ranges = sweepRanges(
    family,
    [...layers.map((layer) => layer.ranges), ...prefixed.map((list) => listRanges(family, [list]))],
    (ids) => {
      const said: LayerRecord[] = [];
      let asn: number | undefined;
      for (let i = 0; i < layers.length; i++) {
        const record = layers[i]!.records[ids[i]!];
        if (record === undefined) continue;
        said.push(record);
        asn ??= record.asn;
      }
      const matches: ListMatch[] = [];
      for (let i = 0; i < prefixed.length; i++) {
        const list = prefixed[i]!;
        const holds = list.effect.unrouted !== true || (knowsRoutes && asn === undefined);
        if (holds && ids[layers.length + i] !== 0) matches.push({ list, by: 'prefix' });
      }
      if (asn !== undefined) for (const list of byAsn.get(asn) ?? []) matches.push({ list, by: 'asn' });
      const facts = networkFacts(said, matches);
      const key = networkKey(facts);
      const known = byKey.get(key);
      if (known !== undefined) return known;
      byKey.set(key, records.length);
      return records.push(facts) - 1;
    },
  );
  const asNames = new Map<number, string>();
  for (const layer of layers)
    for (const record of layer.records)
      if (record?.asn !== undefined && record.asName !== undefined && !asNames.has(record.asn))
        asNames.set(record.asn, record.asName);
  return { ranges, records, asNames };
}

/** A list that only gives anycast space its registered country concerns places. */
const saysNetwork = ({ effect: { anycast, country, ...rest } }: NetworkList): boolean =>
  Object.keys(rest).length > 0 || (anycast === true && country === undefined);

export const networkKey = (record: MergedNetwork): string => `${record.asn} ${packFlags(record)} ${record.usageType}`;
