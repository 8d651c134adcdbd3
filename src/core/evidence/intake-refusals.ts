import type { Prefix } from '../ip/address.ts';
import { byFamily } from '../ip/address-set.ts';
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
