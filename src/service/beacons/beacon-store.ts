import type { Beacon } from '../../core/collection/beacon.ts';
import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';

export interface NewBeacon extends Omit<Beacon, 'createdAt' | 'revokedAt'> {
  readonly hash: string;
}

/** State of one exit of a beacon, and of the beacon's UTC date. */
export interface ExitState {
  /** Newest capture; undefined if there is none within `EXIT_KEPT_DAYS`. */
  readonly lastAt: UnixMs | undefined;
  /** Distinct exits of the date so far. */
  readonly exitsOfDay: number;
}

export interface BeaconDay {
  /** Number of the date, as `utcDay` counts. */
  readonly day: number;
  readonly captures: number;
  readonly exits: number;
  /** Exits of the date that were not known before. */
  readonly newExits: number;
}

export interface BeaconActivity extends Beacon {
  readonly lastSeenAt?: UnixMs;
  /** Exits that were new when counted, since the beacon was made. */
  readonly exits: number;
  /** Dates with captures, ascending. */
  readonly days: readonly BeaconDay[];
}

/** An exit is deleted after this time without captures, and is new when it appears again. */
export const EXIT_KEPT_DAYS = 30;
/** Retention of the counts of a date. */
export const DAY_KEPT_DAYS = 400;

/** Port: beacons and their exits. Creating and revoking are one transaction each, including the audit row. */
export interface BeaconStore {
  /** @param activeMax most beacons in use at once; exact under concurrent calls */
  create(beacon: NewBeacon, by: By, activeMax: number): Promise<Beacon | 'too_many'>;
  /** Idempotent: a revoked beacon keeps its first moment of revocation. */
  revoke(id: string, by: By): Promise<Beacon | 'unknown_beacon'>;
  findByHash(hash: string): Promise<Beacon | undefined>;
  /** Oldest first, with the dates from `fromDay` on. */
  list(fromDay: number): Promise<readonly BeaconActivity[]>;
  /** @param at counts are those of its UTC date */
  exitState(id: string, ip: string, at: UnixMs): Promise<ExitState>;
  /** Counts one capture of an exit; exact under concurrent calls. */
  countExit(id: string, ip: string, at: UnixMs): Promise<void>;
  /** Distinct addresses of the most recently seen exits of all beacons. @param limit most exits examined */
  newestExits(limit: number): Promise<readonly string[]>;
  prune(at: UnixMs): Promise<void>;
}
