import type { Address, Prefix } from '../../core/ip/address.ts';
import { byFamily } from '../../core/ip/address-set.ts';
import { formatAddress, formatPrefix } from '../../core/ip/format-address.ts';
import { familyBits, parsePrefix, prefixesOfRange } from '../../core/ip/prefix.ts';
import type { LookupView } from '../ports.ts';

/** Maps the name under which a list tells of an address to the address. */
export type WatchTargets = ReadonlyMap<string, Address>;

const ADDRESSES_PER_TURN = 20_000;

const isSingle = ({ family, bits }: Prefix): boolean => bits === familyBits(family);

/**
 * Returns the single addresses of the entries, and what was captured inside their prefixes: each address with
 * evidence of its own, and each captured network, which its first address stands for.
 */
export async function watchTargets(view: LookupView, entries: readonly string[]): Promise<WatchTargets> {
  const prefixes = entries.map((entry) => parsePrefix(entry)!);
  const targets = new Map<string, Address>();
  for (const prefix of prefixes) if (isSingle(prefix)) targets.set(formatAddress(prefix), prefix);
  const wide = byFamily(prefixes.filter((prefix) => !isSingle(prefix)));
  for (const family of [4, 6] as const) {
    const { ranges } = wide[family];
    const [first, last] = [ranges[0]?.first, ranges.at(-1)?.last];
    if (first === undefined || last === undefined || view.captured === undefined) continue;
    let turn = 0;
    for (const { address } of view.captured.hostsWithin(first, last)) {
      if (wide[family].overlaps({ ...address, bits: familyBits(family) })) targets.set(formatAddress(address), address);
      if (++turn % ADDRESSES_PER_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    for (const range of ranges)
      for (const captured of view.captured.rangesWithin(range.first, range.last))
        for (const prefix of prefixesOfRange(captured.first, captured.last))
          targets.set(isSingle(prefix) ? formatAddress(prefix) : formatPrefix(prefix), prefix);
  }
  return targets;
}

export function isWatched(entries: readonly string[]): (ip: string) => boolean {
  const sets = byFamily(entries.map((entry) => parsePrefix(entry)!));
  return (ip) => {
    const prefix = parsePrefix(ip)!;
    return sets[prefix.family].overlaps(prefix);
  };
}
