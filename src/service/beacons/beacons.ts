import { randomBytes } from 'node:crypto';
import type { BeaconRiskType } from '../../contract/risk.ts';
import { formatKey, isPlainName, KEY_RANDOM_BYTES, keyPrefix } from '../../core/caller/sent-key.ts';
import { type Beacon, beaconSource, isSameMinute } from '../../core/collection/beacon.ts';
import type { Address } from '../../core/ip/address.ts';
import { formatAddress } from '../../core/ip/format-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { SERVICE_CAPS } from '../../core/limits/limits.ts';
import { said } from '../../core/texts/said.ts';
import { DAY_MS, type UnixMs, unixMs, utcDay } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';
import type { KeyHasher } from '../accounts/password.ts';
import type { ImportOutcome } from '../intake/import-captures.ts';
import { setTrust, type TrustOptions, type TrustOutcome } from '../intake/set-trust.ts';
import { tooMany } from '../limiter.ts';
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

export type AcceptRows = (
  source: string,
  rows: Uint8Array,
  at: UnixMs,
) => Promise<Pick<ImportOutcome, 'accepted' | 'refused'>>;

interface CapturedExit {
  readonly ip: string;
  readonly capturedAt: UnixMs;
}

/**
 * Records the address that a beacon called from as a capture of the beacon's risk type and pool. An exit
 * captured earlier in the same clock minute is not captured again. When this returns, the capture is stored.
 * It is counted afterwards, so a fault between the two loses a count and never evidence.
 * @throws Problem reserved_ip; rate_limited when the beacon has reached its exits of the date; forbidden for
 * an address that is not accepted; history_unavailable
 */
export async function takeExit(
  store: BeaconStore,
  accept: AcceptRows,
  beacon: Beacon,
  client: Address,
  at: UnixMs,
): Promise<CapturedExit> {
  if (isReserved(client)) throw new Problem('reserved_ip');
  const ip = formatAddress(client);
  const { lastAt, exitsOfDay } = await store.exitState(beacon.id, ip, at);
  if (lastAt !== undefined && isSameMinute(lastAt, at)) return { ip, capturedAt: lastAt };
  const isKnownToday = lastAt !== undefined && utcDay(lastAt) === utcDay(at);
  if (!isKnownToday && exitsOfDay >= SERVICE_CAPS.beaconExits) throw tooMany((endOfDay(at) - at) / 1000);
  await acceptExit(accept, beacon, ip, at);
  await store.countExit(beacon.id, ip, at);
  return { ip, capturedAt: at };
}

const endOfDay = (at: UnixMs): UnixMs => unixMs((utcDay(at) + 1) * DAY_MS);

async function acceptExit(accept: AcceptRows, beacon: Beacon, ip: string, at: UnixMs): Promise<void> {
  const row = {
    ip,
    risk_type: beacon.riskType,
    captured_at: new Date(at).toISOString(),
    ...(beacon.pool === undefined ? {} : { pool: beacon.pool }),
  };
  const { accepted, refused } = await accept(
    beaconSource(beacon),
    new TextEncoder().encode(`${JSON.stringify(row)}\n`),
    at,
  ).catch((cause: unknown) => {
    throw cause instanceof Problem ? cause : new Problem('history_unavailable', { cause });
  });
  // Two calls of one exit in the same millisecond are one capture: the store neither accepts nor refuses the
  // second.
  if (accepted > 0 || Object.keys(refused).length === 0) return;
  const reasons = Object.keys(refused).join(', ');
  throw new Problem('forbidden', { message: `No captures of this address are taken: ${reasons}.` });
}
