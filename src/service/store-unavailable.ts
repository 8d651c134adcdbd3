/**
 * A store cannot be asked now: it is away, does not answer, is full, locked or read-only. Nothing is wrong with the question, and the same one may be
 * answered in a moment. Stores throw it in place of their technology's own fault, which stays the cause. Its message is for the log and for commands, never for the wire.
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
