import type { Beacon } from '../../core/collection/beacon.ts';
import { said } from '../../core/texts/said.ts';
import type { By } from '../accounts/account-store.ts';
import { setTrust, type TrustOptions, type TrustOutcome } from '../intake/set-trust.ts';
import { Problem } from '../problem.ts';
import type { BeaconStore } from './beacon-store.ts';

/**
 * Refuses a beacon's token from now on. Its captures stay; `retractBeacon` withdraws them. @throws Problem
 * not_found
 */
export async function revokeBeacon(store: BeaconStore, id: string, by: By): Promise<Beacon> {
  const revoked = await store.revoke(id, by);
  if (revoked === 'unknown_beacon')
    throw new Problem('not_found', { message: said('There is no beacon {id}.', { id: JSON.stringify(id) }) });
  return revoked;
}

/**
 * Withdraws the captures of a revoked beacon and accepts no more of them. A request that a node had admitted
 * before it knew of the revocation finds the source without trust. A beacon that was never called has nothing
 * to withdraw.
 * @throws Problem as `setTrust` does, except for a source that never sent anything
 */
export async function retractBeacon(
  store: Parameters<typeof setTrust>[0],
  options: TrustOptions,
  by: By,
): Promise<TrustOutcome> {
  return setTrust(store, options, by).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'not_found')
      return { retracted: undefined, taken: { status: 'retracted', captures: 0, derivedRetracted: 0, derivedKept: 0 } };
    throw error;
  });
}
