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
