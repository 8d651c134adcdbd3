import type { CollectionCounts, Heartbeat, NewestCapture } from '../../core/collection/tally/collection-tally.ts';
import type { UnixMs } from '../../core/units.ts';
import type { CountedEvent, EventActor } from '../accounts/account-store.ts';
import type { ImportOutcome } from './import-captures.ts';

/**
 * The body holds rows of the intake as NDJSON, compressed with gzip.
 * - `id`: never changes, so the receiver recognises a batch that it has taken before.
 * - `isFinal`: a final body must not change: a receiver refuses a different one under the same id.
 */
export interface PackedCaptures {
  readonly id: string;
  readonly body: Uint8Array;
  readonly isFinal: boolean;
}

/**
 * `refused`: the receiver will never take this batch. `later`: send it again, after `retryAfterMs` if the
 * receiver stated it.
 */
export type SendResult =
  | { readonly status: 'taken'; readonly replayed: boolean; readonly accepted: number; readonly refused: number }
  | { readonly status: 'refused'; readonly reason: string }
  | { readonly status: 'later'; readonly reason: string; readonly retryAfterMs?: number };

/**
 * Delivers batches to the place that keeps evidence. Faults of a receiver or a network are results and never thrown.
 * `finish`: makes the final body of a batch, once for each. Without it the body is sent unchanged.
 */
export interface CaptureReceiver {
  finish?(batch: PackedCaptures): Promise<{ readonly status: 'finished'; readonly body: Uint8Array } | SendResult>;
  send(batch: PackedCaptures): Promise<SendResult>;
  /**
   * Reports that this sensor is alive. Faults of a service or a network are not thrown.
   * @returns the reason if the service did not receive it
   */
  heartbeat?(): Promise<string | undefined>;
  close(): Promise<void>;
}

/**
 * - `put`: the oldest batches are dropped if there is no room; the disk's error is thrown.
 * - `finish`: the replacement survives a crash.
 */
export interface CaptureSpool {
  put(body: Uint8Array): Promise<void>;
  oldest(): Promise<PackedCaptures | undefined>;
  finish(id: string, body: Uint8Array): Promise<void>;
  remove(id: string): Promise<void>;
  setAside(id: string): Promise<void>;
  readonly state: SpoolState;
}

export interface SpoolState {
  readonly batches: number;
  readonly bytes: number;
  readonly dropped: number;
}

/**
 * - `acceptedAt`: absent for a source that only sent heartbeats.
 * - `heartbeat`: absent if requests do not carry their time of sending.
 */
export interface CollectionSource {
  readonly source: string;
  readonly acceptedAt?: UnixMs;
  readonly capturedAt?: UnixMs;
  readonly accepted: number;
  readonly refused: number;
  readonly capturesOfDay: number;
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
 * Holds bounded counts of own collection for operators. They decide nothing; evidence is in the evidence store.
 * `add`: exact under concurrent calls.
 */
export interface CollectionStore {
  add(counts: CollectionCounts): Promise<void>;
  read(at: UnixMs, hours: number): Promise<CollectionActivity>;
  heartbeats(): Promise<readonly Heartbeat[]>;
  prune(at: UnixMs): Promise<void>;
}

/** The evidence store has its sources. @param subject account of the key, or source of the beacon */
export const deliveryEvent = (
  actor: EventActor,
  subject: string,
  { accepted, refused }: Pick<ImportOutcome, 'accepted' | 'refused'>,
  at: UnixMs,
): CountedEvent => ({
  action: 'evidence.deliver',
  actor,
  subject,
  detail: {},
  counts: { count: 1, accepted, refused: Object.values(refused).reduce((sum, { count }) => sum + count, 0) },
  at,
});
