import type { MergedNetwork } from '../../core/place/network-facts.ts';

/** Network records in columns, for the way from one thread to another: a hundred thousand objects would be copied one by one. */
export interface PackedNetworks {
  readonly asns: Uint32Array;
  /** Number of the usage code << 4 | flags. */
  readonly marks: Uint32Array;
  readonly usageTypes: readonly string[];
}

export function packNetworks(records: readonly MergedNetwork[]): PackedNetworks {
  const usages = new Map<string, number>();
  const numberOf = (code: string): number => {
    if (!usages.has(code)) usages.set(code, usages.size);
    return usages.get(code)!;
  };
  const flags = ({ hosting, mobile, crawler, relay }: MergedNetwork): number =>
    (hosting ? 1 : 0) | (mobile ? 2 : 0) | (crawler ? 4 : 0) | (relay ? 8 : 0);
  return {
    asns: Uint32Array.from(records, (record) => record.asn),
    marks: Uint32Array.from(records, (record) => (numberOf(record.usageType) << 4) | flags(record)),
    usageTypes: [...usages.keys()],
  };
}

export function unpackNetworks({ asns, marks, usageTypes }: PackedNetworks): MergedNetwork[] {
  return Array.from(marks, (mark, i) => ({
    asn: asns[i]!,
    usageType: usageTypes[mark >>> 4]!,
    hosting: (mark & 1) !== 0,
    mobile: (mark & 2) !== 0,
    crawler: (mark & 4) !== 0,
    relay: (mark & 8) !== 0,
  }));
}
