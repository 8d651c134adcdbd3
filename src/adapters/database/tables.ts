/**
 * Tables of the records database (`pulse.db`, or the PostgreSQL of PULSE_DATABASE_URL). The tables of each
 * adapter have a file in this folder: adapters import the database, and the database imports none of them.
 * Migrations are in `migrations/`.
 *
 * One set of column types serves both engines: text, `bigint` for times (milliseconds since 1970) and counts,
 * `integer` for small numbers and 0/1 flags.
 */
import type { Flag } from './sql-store.ts';

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

/**
 * - `change_counter`: a single row with id 1 holds the number of the newest change. Updating it serialises writers,
 *   so numbers become visible in order.
 * - `changes`: changes for caches in other threads, processes and nodes. `topic` is the kind of record, `subject` its
 *   id.
 * - `audit_log`: changes with their actors. A row never holds a secret, a hash or a phone number. `detail` is a JSON
 *   object.
 */
interface ChangeTables {
  change_counter: { id: number; seq: number };
  changes: { seq: number; topic: string; subject: string; at: number };
  audit_log: { seq: number; at: number; actor: string; action: string; subject: string; detail: string };
  audit_cursors: { name: string; seq: number };
}

/**
 * Times are milliseconds since 1970; a day is the number of a UTC date.
 * - `beacons`: `hash` is the keyed hash of the token. `exits` counts exits that were new and never falls.
 * - `beacon_exits`: an address that a beacon was seen from is deleted after EXIT_KEPT_DAYS without a sighting.
 * - `beacon_days`: captures and distinct exits of the date; `new_exits` are those that were not known before.
 */
export interface BeaconTables {
  beacons: {
    id: string;
    hash: string;
    prefix: string;
    risk_type: string;
    pool: string | null;
    created_at: number;
    expires_at: number | null;
    revoked_at: number | null;
    last_seen_at: number | null;
    exits: number;
  };
  beacon_exits: { beacon_id: string; ip: string; last_at: number };
  beacon_days: { beacon_id: string; day: number; captures: number; exits: number; new_exits: number };
}

/**
 * - `collection_sources`: `seen_at` and `clock_offset_ms` come from sources whose requests carry their time of
 *   sending.
 * - `collection_newest`: the newest captures in ascending `id`. `port` is -1 where there is none.
 * - `collection_counter`: a single row with id 1 holds the newest id of `collection_newest`. Updating it serialises
 *   writers.
 */
export interface CollectionTables {
  collection_sources: {
    source: string;
    accepted_at: number | null;
    captured_at: number | null;
    accepted: number;
    refused: number;
    seen_at: number | null;
    clock_offset_ms: number | null;
  };
  collection_hours: { source: string; hour: number; captures: number; connections: number };
  collection_ports: { day: number; protocol: string; port: number; connections: number };
  collection_newest: {
    id: number;
    at: number;
    ip: string;
    source: string;
    risk_type: string;
    protocol: string;
    port: number;
  };
  collection_counter: { id: number; newest: number };
}

export interface FeedbackTables {
  /** `explanation` is the document of that moment as JSON; `decided_at` is null while the report is open. */
  feedback: {
    id: string;
    at: number;
    account: string | null;
    ip: string;
    verdict: string;
    risk_type: string | null;
    comment: string | null;
    explanation: string;
    outcome: string;
    decided_at: number | null;
  };
}

export interface ListTables {
  lists: {
    id: string;
    account_id: string | null;
    name: string;
    settings: string;
    changed_at: number;
    fetched_at: number | null;
    fetched_by: string | null;
    prefixes: number | null;
    bytes: number | null;
  };
}

export interface OverrideTables {
  /**
   * `deny` is the risk type of a denial, or null for an allowance. Ended overrides stay, for answers about
   * the past.
   */
  overrides: {
    id: string;
    prefix: string;
    deny: string | null;
    reason: string;
    created_at: number;
    until_at: number;
    removed_at: number | null;
  };
}

/**
 * Watch lists of accounts. Times are milliseconds since 1970; `list` is `<account>/<id>`.
 * - `watchlists`: `due_at` is the next check, or the end of a node's lease.
 * - `watch_deliveries`: `sequence` grows within a list; `next_at` is the next attempt, or the end of a node's lease.
 */
export interface WatchlistTables {
  watchlists: {
    list: string;
    account_id: string;
    id: string;
    request: string;
    nonce: string;
    created_at: number;
    checked_at: number;
    due_at: number;
    sequence: number;
  };
  watch_states: { list: string; ip: string; state: string };
  watch_deliveries: {
    id: string;
    list: string;
    sequence: number;
    ip: string;
    body: string;
    at: number;
    since: number;
    state: string;
    attempts: number;
    next_at: number;
    result: string | null;
  };
}

interface OAuthTables {
  oauth_rows: OAuthTableRow;
}

/** Rows of these kinds let an app act for an account. */
export const APP_KINDS = ['Grant', 'AccessToken', 'RefreshToken', 'AuthorizationCode'] as const;

/**
 * - `id`: the id itself for clients and grants. For other kinds, whose id is the secret, SHA-256 of kind and id.
 * - `rotations`: counts, for refresh tokens, how often the family was rotated before.
 * - `expires_at`: null for clients, which do not expire.
 * - `last_used_at`: notes for grants the last use of a token, to the minute.
 */
export interface OAuthTableRow {
  kind: string;
  id: string;
  payload: string;
  grant_id: string | null;
  client_id: string | null;
  account_id: string | null;
  uid: string | null;
  rotations: number | null;
  consumed_at: number | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
}

/** Times are milliseconds since 1970. A null limit means the plan's limit. */
interface AccountTables {
  plans: PlanRow;
  accounts: AccountRow;
  api_keys: ApiKeyRow;
}

export interface PlanRow {
  name: string;
  per_min: number;
  per_day: number;
  overage_pct: number;
  data_tier: 'basic' | 'professional';
  phone_eligible: Flag;
  phone_per_min: number;
  phone_per_day: number;
}

export interface AccountRow {
  id: string;
  email: string;
  /** argon2id in the PHC string format; null for accounts without a password. */
  password_hash: string | null;
  plan: string;
  per_min: number | null;
  per_day: number | null;
  overage_pct: number | null;
  phone_per_min: number | null;
  phone_per_day: number | null;
  history_days: number | null;
  dpa: Flag;
  phone: Flag;
  operator: Flag;
  disabled: Flag;
  verified_at: number | null;
  allow_list: string | null;
  require_factor: Flag;
  created_at: number;
}

export interface ApiKeyRow {
  id: string;
  account_id: string;
  name: string;
  hash: string;
  prefix: string;
  per_day: number | null;
  expires_at: number | null;
  revoked_at: number | null;
  phone: Flag;
  sends: string | null;
  evidence: string | null;
  policy: string | null;
  bouncer: string | null;
  created_at: number;
  last_used_at: number | null;
}

/**
 * Times are milliseconds since 1970. Secrets (cookies, mail links) are stored as hashes only.
 * - `sessions`: `amr` holds the methods of authentication (RFC 8176), separated by spaces. `authenticated_at` is when
 *   the holder last proved their identity. `country` and `agent` are those of the sign-in. `seen_at` is the last use,
 *   to the minute.
 * - `mail_links`: links sent by mail. `payload` is the effect of following the link, as JSON.
 * - `second_factors`: `secret` is the sealed TOTP secret or the public key of a passkey. `counter` is the last time
 *   step used or the signature counter. `transports` are separated by spaces.
 * - `factor_steps`: sign-ins that wait for a factor and factors being set up live for five minutes.
 * - `identities`: people of the company's provider and the accounts that they sign in to.
 */
export interface SignInTables {
  sessions: {
    id: string;
    account_id: string;
    created_at: number;
    seen_at: number;
    expires_at: number;
    amr: string;
    authenticated_at: number;
    country: string | null;
    agent: string;
  };
  sign_in_countries: { account_id: string; country: string };
  mail_links: { id: string; purpose: string; email: string; payload: string; created_at: number; expires_at: number };
  second_factors: {
    id: string;
    account_id: string;
    kind: 'totp' | 'passkey';
    name: string;
    secret: string;
    credential_id: string | null;
    transports: string;
    counter: number;
    created_at: number;
    last_used_at: number | null;
  };
  recovery_codes: { hash: string; account_id: string };
  factor_steps: {
    id: string;
    purpose: string;
    account_id: string;
    session_id: string | null;
    amr: string;
    payload: string;
    expires_at: number;
  };
  identities: { issuer: string; subject: string; account_id: string; linked_at: number };
}
