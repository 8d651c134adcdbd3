import type { Heartbeat } from '../../core/collection/heartbeat.ts';
import type { CollectionCounts, NewestCapture } from '../../core/collection/tally/collection-tally.ts';
import type { UnixMs } from '../../core/units.ts';

/** A source of own collection, since it first sent something. */
export interface CollectingSource {
  readonly source: string;
  /** When captures of it were last accepted; undefined: it was only heard. */
  readonly acceptedAt?: UnixMs;
  /** Own time of its newest capture. */
  readonly capturedAt?: UnixMs;
  readonly accepted: number;
  readonly refused: number;
  /** Captures of the last 24 hours. */
  readonly capturesOfDay: number;
  /** Undefined: its requests do not say when they were sent. */
  readonly heartbeat?: Omit<Heartbeat, 'source'>;
}

/** Latest work of own collection. */
export interface CollectionActivity {
  /** Those seen last first, at most a few hundred. */
  readonly sources: readonly CollectingSource[];
  /** One entry an hour, ascending, hours without captures included. */
  readonly hours: readonly { readonly at: UnixMs; readonly captures: number; readonly connections: number }[];
  /** Ports of today and yesterday (UTC), the busiest first. */
  readonly ports: readonly { readonly protocol: string; readonly port: number; readonly connections: number }[];
  /** Newest first. */
  readonly newest: readonly NewestCapture[];
}

/** How many of the newest captures are kept. */
export const NEWEST_KEPT = 1000;

/** Port: counts of own collection, bounded, for operators to look at. They decide nothing: evidence stands in the evidence store. */
export interface CollectionStore {
  /** Adds counts of one process; exact, however many add at once. */
  add(counts: CollectionCounts): Promise<void>;
  /** @param hours how many, the one that `at` is in included */
  read(at: UnixMs, hours: number): Promise<CollectionActivity>;
  /** Sources that send heartbeats, with the newest of each. */
  heartbeats(): Promise<readonly Heartbeat[]>;
  /** Forgets rows past their retention. */
  prune(at: UnixMs): Promise<void>;
}
