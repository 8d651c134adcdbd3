import { FLAG_BITS, type MergedNetwork, packFlags, unpackFlags } from '../../core/place/network-facts.ts';

/**
 * Network records travel between threads as columns, because a hundred thousand objects would be copied one by one.
 * `marks`: each mark is the number of the usage code << FLAG_BITS, combined with the flags.
 */
export interface PackedNetworks {
  readonly asns: Uint32Array;
  readonly marks: Uint32Array;
  readonly usageTypes: readonly string[];
}

export function packNetworks(records: readonly MergedNetwork[]): PackedNetworks {
  const usages = new Map<string, number>();
  const numberOf = (code: string): number => {
    if (!usages.has(code)) usages.set(code, usages.size);
    return usages.get(code)!;
  };
  return {
    asns: Uint32Array.from(records, (record) => record.asn),
    marks: Uint32Array.from(records, (record) => (numberOf(record.usageType) << FLAG_BITS) | packFlags(record)),
    usageTypes: [...usages.keys()],
  };
}

export function unpackNetworks({ asns, marks, usageTypes }: PackedNetworks): MergedNetwork[] {
  return Array.from(marks, (mark, i) => ({
    asn: asns[i]!,
    usageType: usageTypes[mark >>> FLAG_BITS]!,
    ...unpackFlags(mark),
  }));
}
