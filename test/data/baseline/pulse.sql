pragma user_version = 0;
CREATE TABLE kysely_migration (name text primary key, timestamp text not null);
CREATE TABLE plans (
    name text primary key, per_min bigint not null, per_day bigint not null, overage_pct integer not null, data_tier text not null,
    phone_eligible integer not null, phone_per_min bigint not null, phone_per_day bigint not null
  );
CREATE TABLE accounts (
    id text primary key, email text not null unique, password_hash text, plan text not null references plans(name),
    per_min bigint, per_day bigint, overage_pct integer, phone_per_min bigint, phone_per_day bigint, history_days integer,
    dpa integer not null default 0, phone integer not null default 0, operator integer not null default 0,
    disabled integer not null default 0, require_factor integer not null default 0, created_at bigint not null, verified_at bigint, allow_list text
  );
CREATE TABLE api_keys (
    id text primary key, account_id text not null references accounts(id) on delete cascade, name text not null, hash text not null unique, prefix text not null, per_day bigint,
    expires_at bigint, revoked_at bigint, phone integer not null default 1, created_at bigint not null, last_used_at bigint, sends text, evidence text,
    policy text, bouncer text
  );
CREATE TABLE change_counter (id integer primary key, seq bigint not null);
CREATE TABLE changes (seq bigint primary key, topic text not null, subject text not null, at bigint not null);
CREATE TABLE audit_log (
    seq bigint primary key, at bigint not null, actor text not null, action text not null, subject text not null, detail text not null
  );
CREATE TABLE audit_cursors (name text primary key, seq bigint not null);
CREATE TABLE sessions (
    id text primary key, account_id text not null references accounts(id) on delete cascade, created_at bigint not null, seen_at bigint not null, expires_at bigint not null, amr text not null,
    authenticated_at bigint not null, country text, agent text not null
  );
CREATE TABLE sign_in_countries (account_id text not null references accounts(id) on delete cascade, country text not null, primary key (account_id, country));
CREATE TABLE mail_links (
    id text primary key, purpose text not null, email text not null, payload text not null, created_at bigint not null, expires_at bigint not null
  );
CREATE TABLE oauth_rows (
    kind text not null, id text not null, payload text not null, grant_id text, client_id text,
    account_id text references accounts(id) on delete cascade, uid text, rotations bigint,
    consumed_at bigint, created_at bigint not null, expires_at bigint, last_used_at bigint, primary key (kind, id)
  );
CREATE TABLE second_factors (
    id text primary key, account_id text not null references accounts(id) on delete cascade, kind text not null, name text not null, secret text not null, credential_id text unique,
    transports text not null, counter bigint not null, created_at bigint not null, last_used_at bigint
  );
CREATE TABLE recovery_codes (hash text primary key, account_id text not null references accounts(id) on delete cascade);
CREATE TABLE factor_steps (
    id text primary key, purpose text not null, account_id text not null references accounts(id) on delete cascade, session_id text, amr text not null, payload text not null, expires_at bigint not null
  );
CREATE TABLE identities (
    issuer text not null, subject text not null, account_id text not null references accounts(id) on delete cascade, linked_at bigint not null, primary key (issuer, subject)
  );
CREATE TABLE beacons (
    id text primary key, hash text not null unique, prefix text not null, risk_type text not null, pool text, created_at bigint not null,
    expires_at bigint, revoked_at bigint, last_seen_at bigint, exits bigint not null default 0
  );
CREATE TABLE beacon_exits (beacon_id text not null references beacons(id) on delete cascade, ip text not null, last_at bigint not null, primary key (beacon_id, ip));
CREATE TABLE beacon_days (
    beacon_id text not null references beacons(id) on delete cascade, day integer not null, captures bigint not null, exits bigint not null, new_exits bigint not null, primary key (beacon_id, day)
  );
CREATE TABLE overrides (
    id text primary key, prefix text not null, deny text, reason text not null, created_at bigint not null, until_at bigint not null, removed_at bigint
  );
CREATE TABLE lists (
    id text primary key, account_id text references accounts(id) on delete cascade, name text not null, settings text not null,
    changed_at bigint not null, fetched_at bigint, fetched_by text, prefixes bigint, bytes bigint
  );
CREATE TABLE feedback (
    id text primary key, at bigint not null, account text, ip text not null, verdict text not null, risk_type text, comment text,
    explanation text not null, outcome text not null, decided_at bigint
  );
CREATE TABLE watchlists (
    list text primary key, account_id text not null references accounts(id) on delete cascade, id text not null, request text not null, nonce text not null, created_at bigint not null,
    checked_at bigint not null, due_at bigint not null, sequence bigint not null
  );
CREATE TABLE watch_states (list text not null references watchlists(list) on delete cascade, ip text not null, state text not null, primary key (list, ip));
CREATE TABLE watch_deliveries (
    id text primary key, list text not null references watchlists(list) on delete cascade, sequence bigint not null, ip text not null, body text not null, at bigint not null,
    since bigint not null, state text not null, attempts integer not null, next_at bigint not null, result text
  );
CREATE TABLE collection_sources (
    source text primary key, accepted_at bigint, captured_at bigint, accepted bigint not null, refused bigint not null,
    seen_at bigint, clock_offset_ms bigint
  );
CREATE TABLE collection_hours (
    source text not null, hour integer not null, captures bigint not null, connections bigint not null, primary key (hour, source)
  );
CREATE TABLE collection_ports (
    day integer not null, protocol text not null, port integer not null, connections bigint not null, primary key (day, protocol, port)
  );
CREATE TABLE collection_newest (
    id bigint primary key, at bigint not null, ip text not null, source text not null, risk_type text not null, protocol text not null, port integer not null
  );
CREATE TABLE collection_counter (id integer primary key, newest bigint not null);
CREATE TABLE store_identity (id integer primary key check (id = 1), store_id text not null);
insert into "kysely_migration" values ('0001-tables','2026-11-28T19:37:30.379Z');
insert into "plans" values ('free',60,5000,0,'basic',0,0,0);
insert into "plans" values ('professional',600,100000,10,'professional',0,0,0);
insert into "plans" values ('enterprise',6000,2000000,10,'professional',1,10000,100000);
insert into "plans" values ('private',6000,2000000,10,'professional',1,10000,100000);
insert into "accounts" values ('acc_s96z2amvcr97p632','customer@example.com','$argon2id$v=19$m=19456,t=2,p=1$ahrYP03M6u2dajH8I1AiXw$mv+X2RYIaCk/nvniaVmRg6YuAwUggMUaZZnandVasgg','private',NULL,1234,NULL,NULL,NULL,NULL,1,0,0,0,0,1795894650521,1795894650521,'[{"prefix":"1.2.5.5/32","reason":"ours","from":1795894706069}]');
insert into "api_keys" values ('key_0w3rjd2gj8bsgkkd','acc_s96z2amvcr97p632','','Gcs_h7Zo9RdjDYlk15vQcWS4rBhDzYiWZBKHDWaAHUA','pk_1PzVrF',NULL,NULL,NULL,1,1795894651769,1795894706795,NULL,NULL,NULL,NULL);
insert into "change_counter" values (1,8);
insert into "changes" values (1,'account','acc_s96z2amvcr97p632',1795894650521);
insert into "changes" values (2,'account','acc_s96z2amvcr97p632',1795894651769);
insert into "changes" values (3,'account','acc_s96z2amvcr97p632',1795894651873);
insert into "changes" values (4,'override','ovr_pg0zwqddby49wtt4',1795894652205);
insert into "changes" values (5,'list','lst_js1yre3wgw35wjy3',1795894652759);
insert into "changes" values (6,'watchlist','acc_s96z2amvcr97p632',1795894705659);
insert into "changes" values (7,'account','acc_s96z2amvcr97p632',1795894706069);
insert into "changes" values (8,'note','acc_s96z2amvcr97p632',1795894706137);
insert into "audit_log" values (1,1795894650521,'cli','account.create','acc_s96z2amvcr97p632','{"email":"customer@example.com","plan":"private","dpa":true,"phone":false,"operator":false,"verified":true}');
insert into "audit_log" values (2,1795894651769,'cli','key.create','acc_s96z2amvcr97p632','{"id":"key_0w3rjd2gj8bsgkkd","accountId":"acc_s96z2amvcr97p632","name":"","prefix":"pk_1PzVrF","phone":true}');
insert into "audit_log" values (3,1795894651873,'cli','account.set','acc_s96z2amvcr97p632','{"perDay":1234}');
insert into "audit_log" values (4,1795894652205,'cli','override.add','ovr_pg0zwqddby49wtt4','{"prefix":"1.2.9.9/32","deny":"proxy","reason":"said so","until":2082758400000}');
insert into "audit_log" values (5,1795894652759,'cli','list.save','lst_js1yre3wgw35wjy3','{"name":"blocked"}');
insert into "audit_log" values (6,1795894705659,'user:acc_s96z2amvcr97p632','watchlist.put','acc_s96z2amvcr97p632','{"watchlist":"mine","entries":2}');
insert into "audit_log" values (7,1795894706069,'user:acc_s96z2amvcr97p632','account.allow_list','acc_s96z2amvcr97p632','{"entries":1}');
insert into "audit_log" values (8,1795894706137,'user:acc_s96z2amvcr97p632','session.open','acc_s96z2amvcr97p632','{"amr":"pwd","count":1,"since":1795894706137}');
insert into "sessions" values ('bLWHHsMx53uOYeC5Je_B_dXYdx3_d2I1PVgtDPocLYY','acc_s96z2amvcr97p632',1795894706137,1795894706137,1795937906137,'pwd',1795894706137,NULL,'');
insert into "overrides" values ('ovr_pg0zwqddby49wtt4','1.2.9.9/32','proxy','said so',1795894652205,2082758400000,NULL);
insert into "lists" values ('lst_js1yre3wgw35wjy3',NULL,'blocked','{"min_score":1,"states":["active"],"max_tier":"T2","family":"both","exclude":[]}',1795894652759,NULL,NULL,NULL,NULL);
insert into "watchlists" values ('acc_s96z2amvcr97p632/mine','acc_s96z2amvcr97p632','mine','{"name":"Ours","entries":["1.2.3.4","1.2.4.0/24"],"on":["state","level"],"url":"https://receiver.example.com/hook"}','Lxge05O5CGRQxRmSFsxiGA',1795894705659,1795894706026,1795894711026,0);
insert into "watch_states" values ('acc_s96z2amvcr97p632/mine','1.2.3.4','{"score":78,"level":"high","state":"active","at":1795894705659}');
insert into "collection_counter" values (1,0);
insert into "store_identity" values (1,'16eb8c5b-71c4-4496-afa3-843ae6f44ac6');
CREATE INDEX accounts_newest on accounts (created_at, id);
CREATE INDEX api_keys_account on api_keys (account_id);
CREATE INDEX audit_log_subject on audit_log (subject, seq);
CREATE INDEX audit_log_actor on audit_log (actor, at);
CREATE INDEX sessions_account on sessions (account_id);
CREATE INDEX sessions_expiry on sessions (expires_at);
CREATE INDEX mail_links_email on mail_links (email, purpose);
CREATE INDEX oauth_rows_grant on oauth_rows (grant_id);
CREATE INDEX oauth_rows_account on oauth_rows (account_id, client_id);
CREATE INDEX oauth_rows_client on oauth_rows (client_id);
CREATE INDEX oauth_rows_uid on oauth_rows (uid);
CREATE INDEX oauth_rows_expiry on oauth_rows (expires_at);
CREATE INDEX second_factors_account on second_factors (account_id);
CREATE INDEX recovery_codes_account on recovery_codes (account_id);
CREATE INDEX identities_account on identities (account_id);
CREATE INDEX factor_steps_account on factor_steps (account_id);
CREATE INDEX factor_steps_expiry on factor_steps (expires_at);
CREATE INDEX beacon_exits_age on beacon_exits (last_at);
CREATE UNIQUE INDEX lists_name on lists (coalesce(account_id, ''), name);
CREATE INDEX feedback_by_outcome on feedback (outcome, at);
CREATE INDEX watchlists_due on watchlists (due_at);
CREATE INDEX watch_deliveries_list on watch_deliveries (list, state, sequence);
CREATE INDEX watch_deliveries_due on watch_deliveries (state, next_at);
