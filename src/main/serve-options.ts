import type { Language } from '../core/texts/said.ts';

/** `ingest` keeps feeds fresh, compiles and publishes images; `api` takes published images and answers; `all` does everything. */
export const ROLES = ['all', 'api', 'ingest'] as const;
export type Role = (typeof ROLES)[number];

/** Options of the command line that the environment does not set. */
export interface ServeOptions {
  /** Invented evidence in a folder of its own instead of feeds (docs/demo.md). */
  readonly demo?: boolean;
  /** Of sentences on the terminal; default English. */
  readonly language?: Language;
  /** Default `all`. */
  readonly role?: Role;
}
