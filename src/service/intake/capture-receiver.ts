/** A batch of captures on its way: rows of the intake as NDJSON, packed with gzip. */
export interface CapturePackage {
  /** Given once and never changed, so that the receiver knows a batch it has taken already. */
  readonly id: string;
  readonly body: Uint8Array;
  /** The body is the one that is sent, and stays as it is: a receiver refuses another one under the same id. */
  readonly isFinal: boolean;
}

export type SendResult =
  | { readonly status: 'taken'; readonly replayed: boolean; readonly accepted: number; readonly refused: number }
  /** The receiver will never take this batch. */
  | { readonly status: 'refused'; readonly reason: string }
  /** Not now. @property retryAfterMs as the receiver asked, where it did */
  | { readonly status: 'later'; readonly reason: string; readonly retryAfterMs?: number };

/** Brings batches to where evidence is kept. Must not throw for faults of a receiver or a network: that is a result. */
export interface CaptureReceiver {
  /** Sender of a batch, asked once for each. Left out: as it is. */
  finish?(batch: CapturePackage): Promise<{ readonly status: 'finished'; readonly body: Uint8Array } | SendResult>;
  send(batch: CapturePackage): Promise<SendResult>;
  /** Shows the service that this sensor is alive. Must not throw for faults of a service or a network. @returns why it was not heard */
  heartbeat?(): Promise<string | undefined>;
  close(): Promise<void>;
}

/** Batches that wait for delivery. A kept batch survives a crash. */
export interface CaptureSpool {
  /** Keeps a batch; the oldest ones are dropped where the room is used up. @throws the disk's error */
  put(body: Uint8Array): Promise<void>;
  /** The batch to be sent next. */
  oldest(): Promise<CapturePackage | undefined>;
  /** Replaces the body of a batch by its final one. The replacement survives a crash. */
  finish(id: string, body: Uint8Array): Promise<void>;
  /** Forgets a batch that was taken. */
  remove(id: string): Promise<void>;
  /** Keeps a batch that was refused for its operator to see, and out of the way of the others. */
  setAside(id: string): Promise<void>;
  readonly state: SpoolState;
}

export interface SpoolState {
  readonly batches: number;
  readonly bytes: number;
  /** Batches dropped for lack of room since the start. */
  readonly dropped: number;
}
