/** The body holds rows of the intake as NDJSON, compressed with gzip. */
export interface PackedCaptures {
  /** Never changes, so the receiver recognises a batch that it has taken before. */
  readonly id: string;
  readonly body: Uint8Array;
  /** A final body must not change: a receiver refuses a different one under the same id. */
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
 * Delivers batches to the place that keeps evidence. Faults of a receiver or a network are results and never
 * thrown.
 */
export interface CaptureReceiver {
  /** Makes the final body of a batch, once for each. Without it the body is sent unchanged. */
  finish?(batch: PackedCaptures): Promise<{ readonly status: 'finished'; readonly body: Uint8Array } | SendResult>;
  send(batch: PackedCaptures): Promise<SendResult>;
  /**
   * Reports that this sensor is alive. Faults of a service or a network are not thrown.
   * @returns the reason if the service did not receive it
   */
  heartbeat?(): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface CaptureSpool {
  /** The oldest batches are dropped if there is no room. @throws the disk's error */
  put(body: Uint8Array): Promise<void>;
  oldest(): Promise<PackedCaptures | undefined>;
  /** The replacement survives a crash. */
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
