/**
 * Tables of the records database (`pulse.db`, or the PostgreSQL of PULSE_DATABASE_URL). The tables of each
 * adapter have a file in this folder: adapters import the database, and the database imports none of them.
 * Migrations are in `migrations/`.
 *
 * One set of column types serves both engines: text, `bigint` for times (milliseconds since 1970) and counts,
 * `integer` for small numbers and 0/1 flags.
 */
import type { AccountTables } from './account-tables.ts';
import type { BeaconTables } from './beacon-tables.ts';
import type { CollectionTables } from './collection-tables.ts';
import type { FeedbackTables } from './feedback-tables.ts';
import type { ListTables } from './list-tables.ts';
import type { OAuthTables } from './oauth-tables.ts';
import type { OverrideTables } from './override-tables.ts';
import type { SignInTables } from './sign-in-tables.ts';
import type { WatchlistTables } from './watchlist-tables.ts';

export interface Database
  extends AccountTables,
    BeaconTables,
    ChangeTables,
    CollectionTables,
    FeedbackTables,
    ListTables,
    OAuthTables,
    OverrideTables,
    SignInTables,
    WatchlistTables {
  /** A single row with id 1 holds a random name of this database. */
  store_identity: { id: number; store_id: string };
}

export interface ChangeTables {
  /**
   * A single row with id 1 holds the number of the newest change. Updating it serialises writers, so numbers
   * become visible in order.
   */
  change_counter: { id: number; seq: number };
  /**
   * Changes for caches in other threads, processes and nodes. `topic` is the kind of record, `subject` its
   * id.
   */
  changes: { seq: number; topic: string; subject: string; at: number };
  /**
   * Changes with their actors. A row never holds a secret, a hash or a phone number. `detail` is a JSON
   * object.
   */
  audit_log: { seq: number; at: number; actor: string; action: string; subject: string; detail: string };
  audit_cursors: { name: string; seq: number };
}
