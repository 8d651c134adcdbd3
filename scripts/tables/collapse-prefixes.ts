import type { Address, Prefix } from '../../src/core/ip/address.ts';
import { formatAddress, formatPrefix } from '../../src/core/ip/format-address.ts';
import {
  addressAfter,
  compareAddresses,
  familyBits,
  lastAddress,
  parsePrefix,
  prefixesOfRange,
} from '../../src/core/ip/prefix.ts';

/**
 * The fewest prefixes that hold the same addresses as the given ones, IPv4 first, in the order of their
 * addresses. A whole address stands without a length.
 * @throws Error for a text that is not a prefix
 */
export function collapsePrefixes(texts: readonly string[]): string[] {
  const prefixes = texts.map((text) => parsePrefix(text) ?? refuse(text));
  return ([4, 6] as const)
    .flatMap((family) => cover(prefixes.filter((prefix) => prefix.family === family)))
    .map(textOf);
}

function refuse(text: string): never {
  throw new Error(`${JSON.stringify(text)} is not a prefix`);
}

function cover(prefixes: readonly Prefix[]): Prefix[] {
  const ranges: { first: Address; last: Address }[] = [];
  for (const first of [...prefixes].sort(compareAddresses)) {
    const last = lastAddress(first);
    const open = ranges.at(-1);
    const next = open && addressAfter(open.last);
    if (open === undefined || (next !== undefined && compareAddresses(first, next) > 0)) ranges.push({ first, last });
    else if (compareAddresses(last, open.last) > 0) open.last = last;
  }
  return ranges.flatMap(({ first, last }) => prefixesOfRange(first, last));
}

const textOf = (prefix: Prefix): string =>
  prefix.bits === familyBits(prefix.family) ? formatAddress(prefix) : formatPrefix(prefix);
