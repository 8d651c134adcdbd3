import type { Beacon } from '../../core/collection/beacon.ts';
import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';

export interface NewBeacon extends Omit<Beacon, 'createdAt' | 'revokedAt'> {
  readonly hash: string;
}

export interface ExitState {
  /** Undefined without a capture within `EXIT_KEPT_DAYS`. */
  readonly lastAt: UnixMs | undefined;
  readonly exitsOfDay: number;
}

export interface BeaconDay {
  readonly day: number;
  readonly captures: number;
  readonly exits: number;
  readonly newExits: number;
}

export interface BeaconActivity extends Beacon {
  readonly lastSeenAt?: UnixMs;
  readonly exits: number;
  /** Ascending, without dates that have no captures. */
  readonly days: readonly BeaconDay[];
}

/** An exit without captures is deleted after this time, and is new when it appears again. */
export const EXIT_KEPT_DAYS = 30;
export const DAY_KEPT_DAYS = 400;

/**
 * Stores beacons and their exits. Creating and revoking are one transaction each, including the audit row.
 * - `revoke`: a revoked beacon keeps its first moment of revocation.
 * - `countExit`: exact under concurrent calls.
 */
export interface BeaconStore {
  /** @param activeMax most beacons in use at once; exact under concurrent calls */
  create(beacon: NewBeacon, by: By, activeMax: number): Promise<Beacon | 'too_many'>;
  revoke(id: string, by: By): Promise<Beacon | 'unknown_beacon'>;
  findByHash(hash: string): Promise<Beacon | undefined>;
  list(fromDay: number): Promise<readonly BeaconActivity[]>;
  exitState(id: string, ip: string, at: UnixMs): Promise<ExitState>;
  countExit(id: string, ip: string, at: UnixMs): Promise<void>;
  newestExits(limit: number): Promise<readonly string[]>;
  prune(at: UnixMs): Promise<void>;
}
