export interface HashPlace {
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Must be called exactly once, also after a failure. */
  leave(): void;
}

/** Bounds the password hashes of the whole process: those that run and those that wait. */
export interface HashGate {
  /**
   * Returns undefined when the queue is full. It is called before the database is asked, so that a refusal
   * costs nothing.
   */
  enter(): HashPlace | undefined;
}
