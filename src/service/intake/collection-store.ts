import type { CollectionCounts, Heartbeat, NewestCapture } from '../../core/collection/tally/collection-tally.ts';
import type { UnixMs } from '../../core/units.ts';

export interface CollectionSource {
  readonly source: string;
  /** Absent for a source that only sent heartbeats. */
  readonly acceptedAt?: UnixMs;
  readonly capturedAt?: UnixMs;
  readonly accepted: number;
  readonly refused: number;
  readonly capturesOfDay: number;
  /** Absent if requests do not carry their time of sending. */
  readonly heartbeat?: Omit<Heartbeat, 'source'>;
}

export interface CollectionActivity {
  readonly sources: readonly CollectionSource[];
  readonly hours: readonly { readonly at: UnixMs; readonly captures: number; readonly connections: number }[];
  readonly ports: readonly { readonly protocol: string; readonly port: number; readonly connections: number }[];
  readonly newest: readonly NewestCapture[];
}

export const NEWEST_KEPT = 1000;

/**
 * Holds bounded counts of own collection for operators. They decide nothing; evidence is in the evidence
 * store.
 */
export interface CollectionStore {
  /** Exact under concurrent calls. */
  add(counts: CollectionCounts): Promise<void>;
  read(at: UnixMs, hours: number): Promise<CollectionActivity>;
  heartbeats(): Promise<readonly Heartbeat[]>;
  prune(at: UnixMs): Promise<void>;
}
