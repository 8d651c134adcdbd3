import type { DeliveryState } from '../../contract/watched-changes.ts';
import type { UnixMs } from '../../core/units.ts';
import type { WatchlistRequest } from '../../core/watch/read-watchlist.ts';
import type { WatchState } from '../../core/watch/watch-state.ts';
import type { By } from '../accounts/account-store.ts';

/**
 * - `nonce`: random; the secret of the webhook is derived from it.
 * - `checkedAt`: every change until then has been taken in.
 * - `goneAt`: the receiver said then that it is gone (410). Until the list is set again it is neither checked nor
 *   retried.
 */
export interface Watchlist extends WatchlistRequest {
  readonly id: string;
  readonly accountId: string;
  readonly nonce: string;
  readonly createdAt: UnixMs;
  readonly checkedAt: UnixMs;
  readonly goneAt?: UnixMs;
}

/** `claim`: this node's lease on the list ends then. */
export interface DueWatchlist extends Watchlist {
  readonly claim: number;
}

export type WatchStates = ReadonlyMap<string, WatchState>;

/**
 * - `id`: every attempt sends it as `webhook-id`.
 * - `ip`: empty in a test delivery.
 * - `result`: status of the last answer, or the reason why there was none.
 */
export interface WatchDelivery {
  readonly id: string;
  readonly ip: string;
  readonly body: string;
  readonly at: UnixMs;
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly nextAt: UnixMs;
  readonly result: string | undefined;
}

export type NewDelivery = Pick<WatchDelivery, 'id' | 'ip' | 'body' | 'at'>;

export interface DueDelivery extends WatchDelivery {
  readonly list: Watchlist;
  readonly since: UnixMs;
}

export const isTest = ({ ip }: Pick<WatchDelivery, 'ip'>): boolean => ip === '';

export interface CheckOutcome {
  readonly states: WatchStates;
  readonly deliveries: readonly NewDelivery[];
  readonly checkedAt: UnixMs;
  readonly dueAt: UnixMs;
}

/** Throws unless the list before may be changed; in the transaction of the change. */
export type WatchlistCheck = (held: Watchlist | undefined) => void;

export interface WatchlistStore {
  /**
   * Creates or replaces a list. States stay where `keeps` says so, and `baseline` is added without a
   * delivery.
   */
  put(
    list: Watchlist,
    baseline: WatchStates,
    keeps: (ip: string) => boolean,
    by: By,
    most: number,
    check?: WatchlistCheck,
  ): Promise<Watchlist | 'too_many'>;
  find(accountId: string, id: string): Promise<Watchlist | undefined>;
  list(accountId: string): Promise<readonly Watchlist[]>;
  remove(accountId: string, id: string, by: By, check?: WatchlistCheck): Promise<boolean>;
  claimDue(now: UnixMs, leaseMs: number): Promise<DueWatchlist | undefined>;
  states(list: Watchlist): Promise<WatchStates>;
  waiting(list: Watchlist): Promise<number>;
  /** Keeps states and deliveries in one transaction; false if the lease was lost, and then nothing is kept. */
  commit(list: DueWatchlist, outcome: CheckOutcome): Promise<boolean>;
  add(list: Watchlist, delivery: NewDelivery): Promise<void>;
  /**
   * Takes due tests, and the next due delivery of each list: the oldest one about its address.
   * @param placesOf how many deliveries may be taken of an account
   */
  claimDeliveries(
    now: UnixMs,
    leaseMs: number,
    placesOf: (accountId: string) => number,
  ): Promise<readonly DueDelivery[]>;
  settle(delivery: DueDelivery, state: DeliveryState, result: string, nextAt: UnixMs): Promise<void>;
  /** Gives up what waits, and notes that the receiver is gone, unless the list was set anew meanwhile. */
  end(list: Watchlist, result: string, at: UnixMs): Promise<void>;
  deliveries(list: Watchlist, limit: number): Promise<readonly WatchDelivery[]>;
  replay(list: Watchlist, deliveryId: string, now: UnixMs): Promise<boolean>;
}
