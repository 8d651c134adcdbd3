import type { BeaconRiskType } from '../../contract/risk.ts';
import { MINUTE_MS, type UnixMs } from '../units.ts';

/** The holder of a beacon's token records each exit it calls from as a capture of this risk type and pool. */
export interface Beacon {
  readonly id: string;
  readonly prefix: string;
  readonly riskType: BeaconRiskType;
  readonly pool?: string;
  readonly createdAt: UnixMs;
  readonly expiresAt?: UnixMs;
  readonly revokedAt?: UnixMs;
}

export const BEACON_SOURCE_PREFIX = 'beacon.';

export const beaconSource = ({ id }: Pick<Beacon, 'id'>): string => `${BEACON_SOURCE_PREFIX}${id}`;

/**
 * Returns the reason why the token may not be used at `at`, or undefined. A revocation counts from the moment
 * it is known, as with keys.
 */
export function beaconFault(beacon: Beacon, at: UnixMs): 'revoked' | 'expired' | undefined {
  if (beacon.revokedAt !== undefined) return 'revoked';
  return beacon.expiresAt !== undefined && beacon.expiresAt <= at ? 'expired' : undefined;
}

export const isSameMinute = (a: UnixMs, b: UnixMs): boolean => Math.floor(a / MINUTE_MS) === Math.floor(b / MINUTE_MS);
