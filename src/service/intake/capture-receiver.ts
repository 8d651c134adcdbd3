/** A batch of captures to deliver: rows of the intake as NDJSON, compressed with gzip. */
export interface PackedCaptures {
  /** Never changes, so the receiver recognises a batch that it has taken before. */
  readonly id: string;
  readonly body: Uint8Array;
  /** The body must not change any more: a receiver refuses a different one under the same id. */
  readonly isFinal: boolean;
}

export type SendResult =
  | { readonly status: 'taken'; readonly replayed: boolean; readonly accepted: number; readonly refused: number }
  /** The receiver will never take this batch. */
  | { readonly status: 'refused'; readonly reason: string }
  /** The batch must be sent again later. @property retryAfterMs the receiver's wish, if it stated one */
  | { readonly status: 'later'; readonly reason: string; readonly retryAfterMs?: number };

/**
 * Delivers batches to the place that keeps evidence. It must not throw for faults of a receiver or a network;
 * those are results.
 */
export interface CaptureReceiver {
  /** Makes the final body of a batch; called once for each. Without it the body is sent unchanged. */
  finish?(batch: PackedCaptures): Promise<{ readonly status: 'finished'; readonly body: Uint8Array } | SendResult>;
  send(batch: PackedCaptures): Promise<SendResult>;
  /**
   * Reports to the service that this sensor is alive. It must not throw for faults of a service or a network.
   * @returns the reason if the service did not receive it
   */
  heartbeat?(): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface CaptureSpool {
  /** Stores a batch; the oldest ones are dropped if there is no room. @throws the disk's error */
  put(body: Uint8Array): Promise<void>;
  oldest(): Promise<PackedCaptures | undefined>;
  /** Replaces the body of a batch by its final one. The replacement survives a crash. */
  finish(id: string, body: Uint8Array): Promise<void>;
  remove(id: string): Promise<void>;
  /** Moves a refused batch out of the queue and keeps it for the operator. */
  setAside(id: string): Promise<void>;
  readonly state: SpoolState;
}

export interface SpoolState {
  readonly batches: number;
  readonly bytes: number;
  /** Batches dropped for lack of room since the start. */
  readonly dropped: number;
}
