/** Why a store over the network or on this disk cannot be used now, for metrics: a bounded set of labels. */
export const STORE_FAULTS = [
  'unreachable',
  'unknown_host',
  'no_answer',
  'credentials',
  'no_database',
  'no_right',
  'connections_used_up',
  'memory_used_up',
  'disk',
  'read_only',
  'starting',
  'stopped',
  'cluster',
  'other',
] as const;
export type StoreFault = (typeof STORE_FAULTS)[number];

/**
 * A store cannot be asked now: it is away, does not answer, is full, locked or read-only. The question is
 * sound and may succeed in a moment. Stores throw this with their own fault as the cause. Its message is for
 * the log and for commands, never sent to a client.
 */
export class StoreUnavailable extends Error {
  constructor(cause: unknown) {
    super(
      `the store cannot be asked now${cause instanceof Error && cause.message !== '' ? `: ${cause.message}` : ''}`,
      { cause },
    );
    this.name = 'StoreUnavailable';
  }
}

export function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}
