import { randomBytes } from 'node:crypto';
import type { BeaconRiskType } from '../../contract/risk.ts';
import { formatKey, isPlainName, KEY_RANDOM_BYTES, keyPrefix } from '../../core/caller/sent-key.ts';
import type { Beacon } from '../../core/collection/beacon.ts';
import { SERVICE_CAPS } from '../../core/limits/limits.ts';
import { said } from '../../core/texts/said.ts';
import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';
import type { KeyHasher } from '../accounts/password.ts';
import { setTrust, type TrustOptions, type TrustOutcome } from '../intake/set-trust.ts';
import { newId } from '../new-id.ts';
import { Problem } from '../problem.ts';
import type { BeaconStore } from './beacon-store.ts';

export interface BeaconOptions {
  readonly riskType: BeaconRiskType;
  readonly pool?: string | undefined;
  readonly expiresAt?: UnixMs | undefined;
}

const POOL_MAX = 100;

/** Creates a beacon. Only this call returns the token: the store keeps its keyed hash and prefix. */
export async function createBeacon(
  store: BeaconStore,
  hasher: KeyHasher,
  options: BeaconOptions,
  by: By,
): Promise<{ readonly beacon: Beacon; readonly token: string }> {
  const pool = (options.pool ?? '').trim();
  if (pool.length > POOL_MAX)
    throw new Problem('bad_request', {
      message: said('The name of a pool has at most {max} characters.', { max: POOL_MAX }),
    });
  if (!isPlainName(pool))
    throw new Problem('bad_request', {
      message: said('The name of a pool may not hold control characters or others that are not seen.'),
    });
  const token = formatKey(randomBytes(KEY_RANDOM_BYTES), 'pb_');
  const made = {
    id: newId('bcn', randomBytes),
    hash: hasher.hash(token),
    prefix: keyPrefix(token),
    riskType: options.riskType,
    ...(pool === '' ? {} : { pool }),
    ...(options.expiresAt === undefined ? {} : { expiresAt: options.expiresAt }),
  };
  const beacon = await store.create(made, by, SERVICE_CAPS.beacons);
  if (beacon === 'too_many')
    throw new Problem('bad_request', {
      message: said('There are at most {max} beacons in use; revoke one first.', { max: SERVICE_CAPS.beacons }),
    });
  return { beacon, token };
}

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
