import type { Prefix } from '../ip/address.ts';
import { byFamily } from '../ip/address-set.ts';
import { isReserved } from '../ip/special-purpose.ts';
import type { RefuseRow } from './capture-reader.ts';

/**
 * Refuses addresses beyond reserved space, so that an attacker who took over a sensor cannot turn verdicts
 * against the operator. These are the operator's own addresses and those of well-known services, which own
 * collection alone could raise.
 * @returns a filter with the reason for each prefix that shares an address with them
 */
export function intakeRefusals(own: Iterable<Prefix>, knownGood: Iterable<Prefix>): RefuseRow {
  const sets = { own: byFamily(own), knownGood: byFamily(knownGood) };
  return (prefix) => {
    if (sets.own[prefix.family].overlaps(prefix)) return 'own_address';
    return sets.knownGood[prefix.family].overlaps(prefix) ? 'known_good' : undefined;
  };
}

export type WidestPrefix = Readonly<Record<4 | 6, number>>;
export type NarrowestPrefix = WidestPrefix;

export const WIDEST_NETWORK: WidestPrefix = { 4: 8, 6: 12 };
/**
 * One holder's network may reasonably have this size. A /8 is not evidence about 16 million people, unless
 * the catalogue allows the list to claim it.
 */
export const WIDEST_EVIDENCE: WidestPrefix = { 4: 16, 6: 29 };

/**
 * Special-purpose IPv4 blocks of IANA begin with these octets; every other octet below 224 is public without
 * a search.
 */
const SPECIAL_OCTETS = new Set([0, 10, 100, 127, 169, 172, 192, 198, 203]);

/**
 * Returns the reason to refuse a prefix, or undefined. @param keepReserved set for lists about networks,
 * which may describe any space
 */
export function refusePrefix(
  prefix: Prefix,
  widest: WidestPrefix = WIDEST_EVIDENCE,
  keepReserved = false,
): 'reserved_address' | 'prefix_too_wide' | undefined {
  if (prefix.bits < widest[prefix.family]) return 'prefix_too_wide';
  return !keepReserved && isSpecial(prefix) ? 'reserved_address' : undefined;
}

function isSpecial(prefix: Prefix): boolean {
  const octet = prefix.w0 >>> 24;
  return prefix.family === 4 && octet < 224 && !SPECIAL_OCTETS.has(octet) ? false : isReserved(prefix);
}
