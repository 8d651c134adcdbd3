import type { Beacon } from '../../core/collection/beacon.ts';
import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';

export interface NewBeacon extends Omit<Beacon, 'createdAt' | 'revokedAt'> {
  /** Keyed hash of the token. */
  readonly hash: string;
}

/** Facts of one exit of a beacon, and of the beacon's UTC date. */
export interface ExitState {
  /** Its newest capture; undefined: not seen, or not for a long time. */
  readonly lastAt: UnixMs | undefined;
  /** Distinct exits of the date so far. */
  readonly exitsOfDay: number;
}

/** One UTC date of a beacon. */
export interface BeaconDay {
  /** Number of the date, as `utcDay` counts. */
  readonly day: number;
  readonly captures: number;
  /** Distinct exits of that date. */
  readonly exits: number;
  /** Exits among them that were not known. */
  readonly newExits: number;
}

export interface BeaconActivity extends Beacon {
  readonly lastSeenAt?: UnixMs;
  /** Exits that were new, since it was made. */
  readonly exits: number;
  /** Dates with captures, ascending. */
  readonly days: readonly BeaconDay[];
}

/** An exit that was not seen for so long is forgotten, and new when it comes again. */
export const EXIT_KEPT_DAYS = 30;
/** Counts of a date are kept for so long. */
export const DAY_KEPT_DAYS = 400;

/** Port: beacons, and the exits they were seen from. Making and revoking are one transaction each, with their audit row. */
export interface BeaconStore {
  /** @param activeMax beacons that may be in use at once; exact, however many ask at once */
  create(beacon: NewBeacon, by: By, activeMax: number): Promise<Beacon | 'too_many'>;
  /** Idempotent: a beacon revoked before keeps its first moment. */
  revoke(id: string, by: By): Promise<Beacon | 'unknown_beacon'>;
  findByHash(hash: string): Promise<Beacon | undefined>;
  /** Oldest first, with the dates from `fromDay` on. */
  list(fromDay: number): Promise<readonly BeaconActivity[]>;
  /** @param at its UTC date is the one that is counted */
  exitState(id: string, ip: string, at: UnixMs): Promise<ExitState>;
  /** Counts one capture of an exit; exact, however many are counted at once. */
  countExit(id: string, ip: string, at: UnixMs): Promise<void>;
  /** Addresses of the exits of all beacons that were seen last, each once. @param limit exits that are looked at */
  newestExits(limit: number): Promise<readonly string[]>;
  /** Forgets exits and dates that are older than they are kept. */
  prune(at: UnixMs): Promise<void>;
}
