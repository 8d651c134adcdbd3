import type { Heartbeat } from '../../core/collection/heartbeat.ts';
import type { CollectionCounts, NewestCapture } from '../../core/collection/tally/collection-tally.ts';
import type { UnixMs } from '../../core/units.ts';

export interface CollectionSource {
  readonly source: string;
  /** Last acceptance of its captures; absent if it only sent heartbeats. */
  readonly acceptedAt?: UnixMs;
  /** Own time of its newest capture. */
  readonly capturedAt?: UnixMs;
  readonly accepted: number;
  readonly refused: number;
  readonly capturesOfDay: number;
  /** Absent if its requests do not carry their time of sending. */
  readonly heartbeat?: Omit<Heartbeat, 'source'>;
}

export interface CollectionActivity {
  /** Most recently seen first, at most a few hundred. */
  readonly sources: readonly CollectionSource[];
  /** One entry per hour, ascending, including hours without captures. */
  readonly hours: readonly { readonly at: UnixMs; readonly captures: number; readonly connections: number }[];
  /** Ports of today and yesterday (UTC), busiest first. */
  readonly ports: readonly { readonly protocol: string; readonly port: number; readonly connections: number }[];
  /** Newest first. */
  readonly newest: readonly NewestCapture[];
}

export const NEWEST_KEPT = 1000;

/**
 * Port: bounded counts of own collection for operators. They decide nothing; evidence is in the evidence
 * store.
 */
export interface CollectionStore {
  /** Adds counts of one process; exact under concurrent calls. */
  add(counts: CollectionCounts): Promise<void>;
  /** @param hours number of hours up to and including that of `at` */
  read(at: UnixMs, hours: number): Promise<CollectionActivity>;
  /** Newest heartbeat of each source that sends them. */
  heartbeats(): Promise<readonly Heartbeat[]>;
  prune(at: UnixMs): Promise<void>;
}
