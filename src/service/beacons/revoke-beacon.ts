import type { Beacon } from '../../core/collection/beacon.ts';
import { said } from '../../core/texts/said.ts';
import type { By } from '../accounts/account-store.ts';
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
