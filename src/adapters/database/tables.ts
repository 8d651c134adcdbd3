/**
 * Every table of the records database (`pulse.db`, or the PostgreSQL of PULSE_DATABASE_URL). The tables of each adapter
 * are a file of this folder, so that adapters import the database and the database imports none of them. Migrations are in `migrations/`.
 *
 * One set of column types serves both engines: text, `bigint` for times (milliseconds since 1970) and counts, `integer` for small numbers and 0/1 flags.
 */
import type { AccountTables } from './account-tables.ts';
import type { BeaconTables } from './beacon-tables.ts';
import type { CollectionTables } from './collection-tables.ts';
import type { OAuthTables } from './oauth-tables.ts';
import type { OverrideTables } from './override-tables.ts';
import type { SignInTables } from './sign-in-tables.ts';

export interface Database
  extends AccountTables,
    BeaconTables,
    ChangeTables,
    CollectionTables,
    OAuthTables,
    OverrideTables,
    SignInTables {
  /** One row, id 1: a random name of this database. */
  store_identity: { id: number; store_id: string };
}

export interface ChangeTables {
  /** One row, id 1: the number of the newest change. Updating it serialises writers, so numbers become visible in their order. */
  change_counter: { id: number; seq: number };
  /** The change, for caches in other threads, processes and nodes. `topic` names the kind of record, `subject` its id. */
  changes: { seq: number; topic: string; subject: string; at: number };
  /** The change and its actor. Never a secret, a hash or a phone number. `detail` is a JSON object. */
  audit_log: { seq: number; at: number; actor: string; action: string; subject: string; detail: string };
  /** How far each follower of the audit log has read. */
  audit_cursors: { name: string; seq: number };
}
