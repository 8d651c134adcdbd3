import type { Language } from '../core/texts/said.ts';

/**
 * `ingest` keeps feeds fresh and compiles and publishes images; `api` uses published images and answers;
 * `all` does everything.
 */
export const ROLES = ['all', 'api', 'ingest'] as const;
export type Role = (typeof ROLES)[number];

export interface ServeOptions {
  readonly demo?: boolean;
  readonly language?: Language;
  readonly role?: Role;
  readonly predecessor?: Predecessor;
}

/**
 * A process that answers until this one can take over.
 * - `listeningFds`: inherited sockets on which it listens.
 * - `ready`: makes it finish its requests and release the ledger.
 */
export interface Predecessor {
  readonly listeningFds: readonly number[];
  ready(): void;
}
