const ACCOUNT = 'account_id text not null references accounts(id) on delete cascade';
const WATCHLIST = 'list text not null references watchlists(list) on delete cascade';
const BEACON = 'beacon_id text not null references beacons(id) on delete cascade';

export const tables = (random: string): readonly string[] => [
  `create table plans (
    name text primary key, per_min bigint not null, per_day bigint not null, overage_pct integer not null, data_tier text not null,
    phone_eligible integer not null, phone_per_min bigint not null, phone_per_day bigint not null
  )`,
  `create table accounts (
    id text primary key, email text not null unique, password_hash text, plan text not null references plans(name),
    per_min bigint, per_day bigint, overage_pct integer, phone_per_min bigint, phone_per_day bigint, history_days integer,
    dpa integer not null default 0, phone integer not null default 0, operator integer not null default 0,
    disabled integer not null default 0, require_factor integer not null default 0, created_at bigint not null, verified_at bigint, allow_list text
  )`,
  // The operator's page lists the newest accounts first. Without an index each page would read and sort all
  // of them.
  'create index accounts_newest on accounts (created_at, id)',
  `create table api_keys (
    id text primary key, ${ACCOUNT}, name text not null, hash text not null unique, prefix text not null, per_day bigint,
    expires_at bigint, revoked_at bigint, phone integer not null default 1, created_at bigint not null, last_used_at bigint, sends text, evidence text,
    policy text, bouncer text
  )`,
  'create index api_keys_account on api_keys (account_id)',
  'create table change_counter (id integer primary key, seq bigint not null)',
  'insert into change_counter (id, seq) values (1, 0)',
  'create table changes (seq bigint primary key, topic text not null, subject text not null, at bigint not null)',
  `create table audit_log (
    seq bigint primary key, at bigint not null, actor text not null, action text not null, subject text not null, detail text not null
  )`,
  'create index audit_log_subject on audit_log (subject, seq)',
  // The rows of an actor are counted before one is added.
  'create index audit_log_actor on audit_log (actor, at)',
  'create table audit_cursors (name text primary key, seq bigint not null)',

  `create table sessions (
    id text primary key, ${ACCOUNT}, created_at bigint not null, seen_at bigint not null, expires_at bigint not null, amr text not null,
    authenticated_at bigint not null, country text, agent text not null
  )`,
  'create index sessions_account on sessions (account_id)',
  'create index sessions_expiry on sessions (expires_at)',
  `create table sign_in_countries (${ACCOUNT}, country text not null, primary key (account_id, country))`,
  `create table mail_links (
    id text primary key, purpose text not null, email text not null, payload text not null, created_at bigint not null, expires_at bigint not null
  )`,
  'create index mail_links_email on mail_links (email, purpose)',
  `create table oauth_rows (
    kind text not null, id text not null, payload text not null, grant_id text, client_id text,
    account_id text references accounts(id) on delete cascade, uid text, rotations bigint,
    consumed_at bigint, created_at bigint not null, expires_at bigint, last_used_at bigint, primary key (kind, id)
  )`,
  'create index oauth_rows_grant on oauth_rows (grant_id)',
  'create index oauth_rows_account on oauth_rows (account_id, client_id)',
  'create index oauth_rows_client on oauth_rows (client_id)',
  'create index oauth_rows_uid on oauth_rows (uid)',
  'create index oauth_rows_expiry on oauth_rows (expires_at)',
  `create table second_factors (
    id text primary key, ${ACCOUNT}, kind text not null, name text not null, secret text not null, credential_id text unique,
    transports text not null, counter bigint not null, created_at bigint not null, last_used_at bigint
  )`,
  'create index second_factors_account on second_factors (account_id)',
  `create table recovery_codes (hash text primary key, ${ACCOUNT})`,
  'create index recovery_codes_account on recovery_codes (account_id)',
  `create table factor_steps (
    id text primary key, purpose text not null, ${ACCOUNT}, session_id text, amr text not null, payload text not null, expires_at bigint not null
  )`,
  `create table identities (
    issuer text not null, subject text not null, ${ACCOUNT}, linked_at bigint not null, primary key (issuer, subject)
  )`,
  'create index identities_account on identities (account_id)',
  'create index factor_steps_account on factor_steps (account_id)',
  'create index factor_steps_expiry on factor_steps (expires_at)',

  `create table beacons (
    id text primary key, hash text not null unique, prefix text not null, risk_type text not null, pool text, created_at bigint not null,
    expires_at bigint, revoked_at bigint, last_seen_at bigint, exits bigint not null default 0
  )`,
  `create table beacon_exits (${BEACON}, ip text not null, last_at bigint not null, primary key (beacon_id, ip))`,
  'create index beacon_exits_age on beacon_exits (last_at)',
  `create table beacon_days (
    ${BEACON}, day integer not null, captures bigint not null, exits bigint not null, new_exits bigint not null, primary key (beacon_id, day)
  )`,

  `create table overrides (
    id text primary key, prefix text not null, deny text, reason text not null, created_at bigint not null, until_at bigint not null, removed_at bigint
  )`,

  `create table lists (
    id text primary key, account_id text references accounts(id) on delete cascade, name text not null, settings text not null,
    changed_at bigint not null, fetched_at bigint, fetched_by text, prefixes bigint, bytes bigint
  )`,
  `create unique index lists_name on lists (coalesce(account_id, ''), name)`,

  `create table feedback (
    id text primary key, at bigint not null, account text, ip text not null, verdict text not null, risk_type text, comment text,
    explanation text not null, outcome text not null, decided_at bigint
  )`,
  'create index feedback_by_outcome on feedback (outcome, at)',

  `create table watchlists (
    list text primary key, ${ACCOUNT}, id text not null, request text not null, nonce text not null, created_at bigint not null,
    checked_at bigint not null, due_at bigint not null, sequence bigint not null
  )`,
  'create index watchlists_due on watchlists (due_at)',
  `create table watch_states (${WATCHLIST}, ip text not null, state text not null, primary key (list, ip))`,
  `create table watch_deliveries (
    id text primary key, ${WATCHLIST}, sequence bigint not null, ip text not null, body text not null, at bigint not null,
    since bigint not null, state text not null, attempts integer not null, next_at bigint not null, result text
  )`,
  'create index watch_deliveries_list on watch_deliveries (list, state, sequence)',
  'create index watch_deliveries_due on watch_deliveries (state, next_at)',

  `create table collection_sources (
    source text primary key, accepted_at bigint, captured_at bigint, accepted bigint not null, refused bigint not null,
    seen_at bigint, clock_offset_ms bigint
  )`,
  `create table collection_hours (
    source text not null, hour integer not null, captures bigint not null, connections bigint not null, primary key (hour, source)
  )`,
  `create table collection_ports (
    day integer not null, protocol text not null, port integer not null, connections bigint not null, primary key (day, protocol, port)
  )`,
  `create table collection_newest (
    id bigint primary key, at bigint not null, ip text not null, source text not null, risk_type text not null, protocol text not null, port integer not null
  )`,
  'create table collection_counter (id integer primary key, newest bigint not null)',
  'insert into collection_counter (id, newest) values (1, 0)',

  'create table store_identity (id integer primary key check (id = 1), store_id text not null)',
  `insert into store_identity (id, store_id) values (1, ${random})`,
  `insert into plans (name, per_min, per_day, overage_pct, data_tier, phone_eligible, phone_per_min, phone_per_day) values
    ('free', 60, 5000, 0, 'basic', 0, 0, 0), ('professional', 600, 100000, 10, 'professional', 0, 0, 0),
    ('enterprise', 6000, 2000000, 10, 'professional', 1, 10000, 100000),
    ('private', 6000, 2000000, 10, 'professional', 1, 10000, 100000)`,
];
