/** A place in the queue for hashing passwords. */
export interface HashPlace {
  /** Runs the work as soon as there is room for one more hash. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Gives the place up; to be called once, whatever happened. */
  leave(): void;
}

/** Bounds how many passwords are hashed at once and how many wait, over the whole process. */
export interface HashGate {
  /** A place, or undefined when the queue is full: asked before the database is, so that a refusal costs nothing. */
  enter(): HashPlace | undefined;
}
