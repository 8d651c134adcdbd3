/** `ingest` keeps feeds fresh, compiles and publishes images; `api` takes published images and answers; `all` does everything. */
export const ROLES = ['all', 'api', 'ingest'] as const;
export type Role = (typeof ROLES)[number];

/** Options of the command line that the environment does not set. */
export interface ServeOptions {
  /** Invented evidence in a folder of its own instead of feeds (docs/demo.md). */
  readonly demo?: boolean;
  /** Default `all`. */
  readonly role?: Role;
}
