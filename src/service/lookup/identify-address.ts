import type { Observation } from '../../core/evidence/observation.ts';
import type { Address } from '../../core/ip/address.ts';
import { type KnownGoodSet, knownGoodCapOf } from '../../core/risk/known-good.ts';
import { SCORE_PARAMETERS } from '../../core/risk/parameters.ts';
import { verdict } from '../../core/risk/verdict.ts';
import type { UnixMs } from '../../core/units.ts';
import type { LookupView } from '../ports.ts';

export interface AddressIdentity {
  readonly sharedBy?: Observation['sharedBy'];
  readonly knownGood?: KnownGoodSet | undefined;
}

export function identifyAddress(
  view: LookupView,
  address: Address,
  at: UnixMs,
  observations: readonly Observation[],
): AddressIdentity {
  const cap = knownGoodCapOf(view.protection, address);
  const found = verdict(observations, view.network(address), address.family, at, SCORE_PARAMETERS, cap);
  return { knownGood: view.protection?.knownGood(address, at), sharedBy: found.sharedBy };
}
