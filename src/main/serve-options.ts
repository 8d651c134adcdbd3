/** `ingest` keeps feeds fresh, compiles and publishes images; `api` takes published images and answers; `all` does everything. */
export const ROLES = ['all', 'api', 'ingest'] as const;
export type Role = (typeof ROLES)[number];

/** What is said on the command line rather than in the environment. */
export interface ServeOptions {
  /** Invented evidence in a folder of its own instead of feeds (docs/demo.md). */
  readonly demo?: boolean;
  /** Default `all`. */
  readonly role?: Role;
}
