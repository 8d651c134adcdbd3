import type { Prefix } from '../ip/address.ts';
import { perFamily } from '../ip/address-set.ts';
import type { RefuseRow } from './capture-reader.ts';

/**
 * Addresses that the intake refuses besides reserved space, so that who took a sensor over cannot turn verdicts against the operator: the operator's own addresses, and
 * addresses of well-known services, which own collection alone could raise.
 * @returns why a prefix is refused that has an address in common with one of these
 */
export function intakeRefusals(own: Iterable<Prefix>, knownGood: Iterable<Prefix>): RefuseRow {
  const sets = { own: perFamily(own), knownGood: perFamily(knownGood) };
  return (prefix) => {
    if (sets.own[prefix.family].overlaps(prefix)) return 'own_address';
    return sets.knownGood[prefix.family].overlaps(prefix) ? 'known_good' : undefined;
  };
}
