import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { type AddressIdentity, sharedByAt } from '../../core/risk/address-identity.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import type { UnixMs } from '../../core/units.ts';
import type { LookupView } from '../ports.ts';

export const identifyAddress = (
  view: LookupView,
  address: Address,
  at: UnixMs,
  observations: readonly Observation[],
): AddressIdentity => ({
  knownGood: view.protection?.knownGood(address, at),
  sharedBy: sharedByAt(observations, view.network(address), at, SCORE_PARAMETERS),
});
