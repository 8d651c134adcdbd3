/** What is said on the command line rather than in the environment. */
export interface ServeOptions {
  /** Invented evidence in a folder of its own instead of feeds (docs/demo.md). */
  readonly demo?: boolean;
}
