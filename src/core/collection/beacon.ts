import type { BeaconRiskType } from '../../contract/risk.ts';
import { MINUTE_MS, type UnixMs } from '../units.ts';

/** The holder of its token makes each exit that it calls from a capture of this risk type and pool. */
export interface Beacon {
  readonly id: string;
  /** Leading characters of the token, for lists. */
  readonly prefix: string;
  readonly riskType: BeaconRiskType;
  /** Internal name of the pool; undefined: none. */
  readonly pool?: string;
  readonly createdAt: UnixMs;
  readonly expiresAt?: UnixMs;
  readonly revokedAt?: UnixMs;
}

/** Prefix of the sources of beacons. */
export const BEACON_SOURCE_PREFIX = 'beacon.';

/** The source under which the captures of a beacon are kept, and withdrawn. */
export const beaconSource = ({ id }: Pick<Beacon, 'id'>): string => `${BEACON_SOURCE_PREFIX}${id}`;

/** Why the token of a beacon may not be used at `at`; undefined when it may. Revoked is revoked from the moment it is known, as with keys. */
export function beaconFault(beacon: Beacon, at: UnixMs): 'revoked' | 'expired' | undefined {
  if (beacon.revokedAt !== undefined) return 'revoked';
  return beacon.expiresAt !== undefined && beacon.expiresAt <= at ? 'expired' : undefined;
}

/** Whether two captures of one exit are one: an exit counts once a minute of the clock. */
export const isSameMinute = (a: UnixMs, b: UnixMs): boolean => Math.floor(a / MINUTE_MS) === Math.floor(b / MINUTE_MS);
