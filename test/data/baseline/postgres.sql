SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE FUNCTION public.evidence_at(bytea[], bigint) RETURNS TABLE(of_kind integer, of_prefix text, of_track integer, from_at bigint, until_at bigint)
    LANGUAGE plpgsql STABLE
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $_$ begin return query 
select 0, encode(p.prefix, 'hex'), s.track, s.first_at, s.last_at
from unnest($1) p(prefix) join lateral (select * from evidence_spells s where s.prefix = p.prefix and s.first_at <= $2 offset 0) s on true
union all
select 1, encode(p.prefix, 'hex'), e.track, e.at, null from unnest($1) p(prefix) join lateral (
  with recursive seen(track) as (
    (select e.track from evidence_events e where e.prefix = p.prefix order by e.track limit 1)
    union all
    select (select e.track from evidence_events e where e.prefix = p.prefix and e.track > seen.track order by e.track limit 1) from seen where seen.track is not null
  ), newest(track, at, n) as (
    select seen.track, (select e.at from evidence_events e where e.prefix = p.prefix and e.track = seen.track and e.at <= $2 and not exists (
    select 1 from evidence_retractions r join evidence_tracks t on t.source = r.source and r.sender in ('', t.sender)
    where t.id = e.track and e.at >= r.from_at and e.at < r.to_at and r.made_at <= $2) order by e.at desc limit 1), 1
    from seen where seen.track is not null
    union all
    select w.track, (select e.at from evidence_events e where e.prefix = p.prefix and e.track = w.track and e.at < w.at - w.at % 86400000 and not exists (
    select 1 from evidence_retractions r join evidence_tracks t on t.source = r.source and r.sender in ('', t.sender)
    where t.id = e.track and e.at >= r.from_at and e.at < r.to_at and r.made_at <= $2) order by e.at desc limit 1), w.n + 1
    from newest w where w.at is not null and w.n < 14
  ) select track, at from newest where at is not null) e on true
union all
select 2, encode(p.prefix, 'hex'), m.track, m.first_at, m.last_at
from unnest($1) p(prefix) join lateral (select * from evidence_memory m where m.prefix = p.prefix and m.first_at <= $2 offset 0) m on true
union all
select 4, encode(p.prefix, 'hex'), w.track, w.at, w.made_at
from unnest($1) p(prefix) join lateral (select * from evidence_withdrawn w where w.prefix = p.prefix and w.at <= $2 offset 0) w on true
union all
select 3, (select mark from evidence_batches order by sequence desc limit 1), null, (select coalesce(max(sequence), 0) from evidence_batches), null; end $_$;
CREATE FUNCTION public.evidence_at_each(bytea[], bigint[]) RETURNS TABLE(of_kind integer, of_prefix text, of_track integer, from_at bigint, until_at bigint)
    LANGUAGE plpgsql STABLE
    SET jit TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $_$ begin return query 
select 0, encode(p.prefix, 'hex'), s.track, s.first_at, s.last_at
from unnest($1) p(prefix) join lateral (select * from evidence_spells s where s.prefix = p.prefix and s.first_at <= (select max(u.at) from unnest($2) u(at)) offset 0) s on true
union all
select 1, encode(p.prefix, 'hex'), e.track, e.at, null from unnest($1) p(prefix) join lateral (select distinct e.track, e.at from unnest($2) i(at) join lateral (
  with recursive seen(track) as (
    (select e.track from evidence_events e where e.prefix = p.prefix order by e.track limit 1)
    union all
    select (select e.track from evidence_events e where e.prefix = p.prefix and e.track > seen.track order by e.track limit 1) from seen where seen.track is not null
  ), newest(track, at, n) as (
    select seen.track, (select e.at from evidence_events e where e.prefix = p.prefix and e.track = seen.track and e.at <= i.at and not exists (
    select 1 from evidence_retractions r join evidence_tracks t on t.source = r.source and r.sender in ('', t.sender)
    where t.id = e.track and e.at >= r.from_at and e.at < r.to_at and r.made_at <= i.at) order by e.at desc limit 1), 1
    from seen where seen.track is not null
    union all
    select w.track, (select e.at from evidence_events e where e.prefix = p.prefix and e.track = w.track and e.at < w.at - w.at % 86400000 and not exists (
    select 1 from evidence_retractions r join evidence_tracks t on t.source = r.source and r.sender in ('', t.sender)
    where t.id = e.track and e.at >= r.from_at and e.at < r.to_at and r.made_at <= i.at) order by e.at desc limit 1), w.n + 1
    from newest w where w.at is not null and w.n < 14
  ) select track, at from newest where at is not null) e on true) e on true
union all
select 2, encode(p.prefix, 'hex'), m.track, m.first_at, m.last_at
from unnest($1) p(prefix) join lateral (select * from evidence_memory m where m.prefix = p.prefix and m.first_at <= (select max(u.at) from unnest($2) u(at)) offset 0) m on true
union all
select 4, encode(p.prefix, 'hex'), w.track, w.at, w.made_at
from unnest($1) p(prefix) join lateral (select * from evidence_withdrawn w where w.prefix = p.prefix and w.at <= (select max(u.at) from unnest($2) u(at)) offset 0) w on true
union all
select 3, (select mark from evidence_batches order by sequence desc limit 1), null, (select coalesce(max(sequence), 0) from evidence_batches), null; end $_$;
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE public.accounts (
    id text NOT NULL,
    email text NOT NULL,
    password_hash text,
    plan text NOT NULL,
    per_min bigint,
    per_day bigint,
    overage_pct integer,
    phone_per_min bigint,
    phone_per_day bigint,
    history_days integer,
    dpa integer DEFAULT 0 NOT NULL,
    phone integer DEFAULT 0 NOT NULL,
    operator integer DEFAULT 0 NOT NULL,
    disabled integer DEFAULT 0 NOT NULL,
    require_factor integer DEFAULT 0 NOT NULL,
    created_at bigint NOT NULL,
    verified_at bigint,
    allow_list text
);
CREATE TABLE public.api_keys (
    id text NOT NULL,
    account_id text NOT NULL,
    name text NOT NULL,
    hash text NOT NULL,
    prefix text NOT NULL,
    per_day bigint,
    expires_at bigint,
    revoked_at bigint,
    phone integer DEFAULT 1 NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint,
    sends text,
    evidence text,
    policy text,
    bouncer text
);
CREATE TABLE public.audit_cursors (
    name text NOT NULL,
    seq bigint NOT NULL
);
CREATE TABLE public.audit_log (
    seq bigint NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    detail text NOT NULL
);
CREATE TABLE public.beacon_days (
    beacon_id text NOT NULL,
    day integer NOT NULL,
    captures bigint NOT NULL,
    exits bigint NOT NULL,
    new_exits bigint NOT NULL
);
CREATE TABLE public.beacon_exits (
    beacon_id text NOT NULL,
    ip text NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.beacons (
    id text NOT NULL,
    hash text NOT NULL,
    prefix text NOT NULL,
    risk_type text NOT NULL,
    pool text,
    created_at bigint NOT NULL,
    expires_at bigint,
    revoked_at bigint,
    last_seen_at bigint,
    exits bigint DEFAULT 0 NOT NULL
);
CREATE TABLE public.change_counter (
    id integer NOT NULL,
    seq bigint NOT NULL
);
CREATE TABLE public.changes (
    seq bigint NOT NULL,
    topic text NOT NULL,
    subject text NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.collection_counter (
    id integer NOT NULL,
    newest bigint NOT NULL
);
CREATE TABLE public.collection_hours (
    source text NOT NULL,
    hour integer NOT NULL,
    captures bigint NOT NULL,
    connections bigint NOT NULL
);
CREATE TABLE public.collection_newest (
    id bigint NOT NULL,
    at bigint NOT NULL,
    ip text NOT NULL,
    source text NOT NULL,
    risk_type text NOT NULL,
    protocol text NOT NULL,
    port integer NOT NULL
);
CREATE TABLE public.collection_ports (
    day integer NOT NULL,
    protocol text NOT NULL,
    port integer NOT NULL,
    connections bigint NOT NULL
);
CREATE TABLE public.collection_sources (
    source text NOT NULL,
    accepted_at bigint,
    captured_at bigint,
    accepted bigint NOT NULL,
    refused bigint NOT NULL,
    seen_at bigint,
    clock_offset_ms bigint
);
CREATE TABLE public.evidence_actor_captures (
    actor text NOT NULL,
    at bigint NOT NULL,
    prefix bytea NOT NULL,
    source integer NOT NULL,
    sender text NOT NULL
);
CREATE TABLE public.evidence_batches (
    sequence bigint NOT NULL,
    source integer NOT NULL,
    kind text NOT NULL,
    at bigint NOT NULL,
    hash bytea NOT NULL,
    accepted_at bigint NOT NULL,
    rows bigint NOT NULL,
    mark text DEFAULT (gen_random_uuid())::text NOT NULL
);
CREATE TABLE public.evidence_budgets (
    name text NOT NULL,
    window_ms bigint NOT NULL,
    begun_at bigint NOT NULL,
    rows bigint NOT NULL
);
CREATE TABLE public.evidence_deliveries (
    account text NOT NULL,
    id text NOT NULL,
    digest bytea NOT NULL,
    accepted_at bigint NOT NULL,
    answer text NOT NULL
);
CREATE TABLE public.evidence_derivations (
    prefix bytea NOT NULL,
    risk_type integer NOT NULL,
    at bigint NOT NULL,
    sources text NOT NULL,
    spans text NOT NULL,
    reason text NOT NULL,
    retracted_at bigint
);
CREATE TABLE public.evidence_events (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
)
PARTITION BY HASH (prefix);
CREATE TABLE public.evidence_events_p0 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p1 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p10 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p11 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p12 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p13 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p14 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p15 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p2 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p3 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p4 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p5 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p6 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p7 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p8 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_events_p9 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.evidence_facts (
    name text NOT NULL,
    value bigint NOT NULL
);
CREATE TABLE public.evidence_identity (
    store text NOT NULL
);
CREATE TABLE public.evidence_journal (
    sequence bigint NOT NULL,
    accepted_at bigint NOT NULL,
    log bytea
);
ALTER TABLE ONLY public.evidence_journal ALTER COLUMN log SET STORAGE EXTERNAL;
CREATE TABLE public.evidence_left_out (
    at bigint NOT NULL,
    sources text
);
CREATE TABLE public.evidence_lengths (
    family integer NOT NULL,
    bits integer NOT NULL
);
CREATE TABLE public.evidence_memory (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
)
PARTITION BY HASH (prefix);
CREATE TABLE public.evidence_memory_p0 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p1 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p10 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p11 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p12 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p13 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p14 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p15 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p2 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p3 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p4 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p5 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p6 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p7 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p8 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_memory_p9 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint NOT NULL
);
CREATE TABLE public.evidence_own_captures (
    net bigint NOT NULL,
    at bigint NOT NULL,
    prefix bytea NOT NULL,
    source integer NOT NULL,
    sender text NOT NULL
);
CREATE TABLE public.evidence_retractions (
    id integer NOT NULL,
    source integer NOT NULL,
    sender text NOT NULL,
    from_at bigint NOT NULL,
    to_at bigint NOT NULL,
    made_at bigint NOT NULL
);
ALTER TABLE public.evidence_retractions ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.evidence_retractions_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.evidence_runs (
    source integer NOT NULL,
    at bigint NOT NULL,
    sequence bigint NOT NULL
);
CREATE TABLE public.evidence_schema (
    version integer NOT NULL
);
CREATE TABLE public.evidence_sources (
    id integer NOT NULL,
    name text NOT NULL,
    family text NOT NULL,
    mode text NOT NULL,
    risk_type text,
    shared_by text,
    last_run_at bigint,
    last_error_at bigint,
    rows bigint DEFAULT 0 NOT NULL
);
ALTER TABLE public.evidence_sources ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.evidence_sources_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.evidence_spells (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
)
PARTITION BY HASH (prefix);
CREATE TABLE public.evidence_spells_p0 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p1 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p10 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p11 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p12 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p13 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p14 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p15 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p2 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p3 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p4 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p5 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p6 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p7 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p8 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_spells_p9 (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    first_at bigint NOT NULL,
    last_at bigint
);
CREATE TABLE public.evidence_tracks (
    id integer NOT NULL,
    source integer NOT NULL,
    risk_type integer NOT NULL,
    pool text NOT NULL,
    presence boolean NOT NULL,
    sender text NOT NULL
);
ALTER TABLE public.evidence_tracks ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.evidence_tracks_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.evidence_trust (
    source integer NOT NULL,
    trust text NOT NULL,
    made_at bigint NOT NULL,
    actor text NOT NULL,
    reason text NOT NULL
);
CREATE TABLE public.evidence_withdrawn (
    prefix bytea NOT NULL,
    track integer NOT NULL,
    at bigint NOT NULL,
    made_at bigint NOT NULL
);
CREATE TABLE public.factor_steps (
    id text NOT NULL,
    purpose text NOT NULL,
    account_id text NOT NULL,
    session_id text,
    amr text NOT NULL,
    payload text NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.feedback (
    id text NOT NULL,
    at bigint NOT NULL,
    account text,
    ip text NOT NULL,
    verdict text NOT NULL,
    risk_type text,
    comment text,
    explanation text NOT NULL,
    outcome text NOT NULL,
    decided_at bigint
);
CREATE TABLE public.identities (
    issuer text NOT NULL,
    subject text NOT NULL,
    account_id text NOT NULL,
    linked_at bigint NOT NULL
);
CREATE TABLE public.kysely_migration (
    name text NOT NULL,
    "timestamp" text NOT NULL
);
CREATE TABLE public.lists (
    id text NOT NULL,
    account_id text,
    name text NOT NULL,
    settings text NOT NULL,
    changed_at bigint NOT NULL,
    fetched_at bigint,
    fetched_by text,
    prefixes bigint,
    bytes bigint
);
CREATE TABLE public.mail_links (
    id text NOT NULL,
    purpose text NOT NULL,
    email text NOT NULL,
    payload text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.oauth_rows (
    kind text NOT NULL,
    id text NOT NULL,
    payload text NOT NULL,
    grant_id text,
    client_id text,
    account_id text,
    uid text,
    rotations bigint,
    consumed_at bigint,
    created_at bigint NOT NULL,
    expires_at bigint,
    last_used_at bigint
);
CREATE TABLE public.overrides (
    id text NOT NULL,
    prefix text NOT NULL,
    deny text,
    reason text NOT NULL,
    created_at bigint NOT NULL,
    until_at bigint NOT NULL,
    removed_at bigint
);
CREATE TABLE public.phone_cn_1 (
    key bytea NOT NULL,
    risk smallint,
    tags text,
    first_seen bigint,
    last_active bigint,
    observed_days integer,
    card text
);
CREATE TABLE public.phone_library (
    library text NOT NULL,
    generation integer NOT NULL,
    about text NOT NULL
);
CREATE TABLE public.plans (
    name text NOT NULL,
    per_min bigint NOT NULL,
    per_day bigint NOT NULL,
    overage_pct integer NOT NULL,
    data_tier text NOT NULL,
    phone_eligible integer NOT NULL,
    phone_per_min bigint NOT NULL,
    phone_per_day bigint NOT NULL
);
CREATE TABLE public.recovery_codes (
    hash text NOT NULL,
    account_id text NOT NULL
);
CREATE TABLE public.second_factors (
    id text NOT NULL,
    account_id text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    secret text NOT NULL,
    credential_id text,
    transports text NOT NULL,
    counter bigint NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint
);
CREATE TABLE public.sessions (
    id text NOT NULL,
    account_id text NOT NULL,
    created_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    amr text NOT NULL,
    authenticated_at bigint NOT NULL,
    country text,
    agent text NOT NULL
);
CREATE TABLE public.sign_in_countries (
    account_id text NOT NULL,
    country text NOT NULL
);
CREATE TABLE public.store_identity (
    id integer NOT NULL,
    store_id text NOT NULL,
    CONSTRAINT store_identity_id_check CHECK ((id = 1))
);
CREATE TABLE public.watch_deliveries (
    id text NOT NULL,
    list text NOT NULL,
    sequence bigint NOT NULL,
    ip text NOT NULL,
    body text NOT NULL,
    at bigint NOT NULL,
    since bigint NOT NULL,
    state text NOT NULL,
    attempts integer NOT NULL,
    next_at bigint NOT NULL,
    result text
);
CREATE TABLE public.watch_states (
    list text NOT NULL,
    ip text NOT NULL,
    state text NOT NULL
);
CREATE TABLE public.watchlists (
    list text NOT NULL,
    account_id text NOT NULL,
    id text NOT NULL,
    request text NOT NULL,
    nonce text NOT NULL,
    created_at bigint NOT NULL,
    checked_at bigint NOT NULL,
    due_at bigint NOT NULL,
    sequence bigint NOT NULL
);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p0 FOR VALUES WITH (modulus 16, remainder 0);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p1 FOR VALUES WITH (modulus 16, remainder 1);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p10 FOR VALUES WITH (modulus 16, remainder 10);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p11 FOR VALUES WITH (modulus 16, remainder 11);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p12 FOR VALUES WITH (modulus 16, remainder 12);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p13 FOR VALUES WITH (modulus 16, remainder 13);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p14 FOR VALUES WITH (modulus 16, remainder 14);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p15 FOR VALUES WITH (modulus 16, remainder 15);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p2 FOR VALUES WITH (modulus 16, remainder 2);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p3 FOR VALUES WITH (modulus 16, remainder 3);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p4 FOR VALUES WITH (modulus 16, remainder 4);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p5 FOR VALUES WITH (modulus 16, remainder 5);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p6 FOR VALUES WITH (modulus 16, remainder 6);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p7 FOR VALUES WITH (modulus 16, remainder 7);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p8 FOR VALUES WITH (modulus 16, remainder 8);
ALTER TABLE ONLY public.evidence_events ATTACH PARTITION public.evidence_events_p9 FOR VALUES WITH (modulus 16, remainder 9);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p0 FOR VALUES WITH (modulus 16, remainder 0);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p1 FOR VALUES WITH (modulus 16, remainder 1);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p10 FOR VALUES WITH (modulus 16, remainder 10);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p11 FOR VALUES WITH (modulus 16, remainder 11);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p12 FOR VALUES WITH (modulus 16, remainder 12);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p13 FOR VALUES WITH (modulus 16, remainder 13);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p14 FOR VALUES WITH (modulus 16, remainder 14);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p15 FOR VALUES WITH (modulus 16, remainder 15);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p2 FOR VALUES WITH (modulus 16, remainder 2);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p3 FOR VALUES WITH (modulus 16, remainder 3);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p4 FOR VALUES WITH (modulus 16, remainder 4);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p5 FOR VALUES WITH (modulus 16, remainder 5);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p6 FOR VALUES WITH (modulus 16, remainder 6);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p7 FOR VALUES WITH (modulus 16, remainder 7);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p8 FOR VALUES WITH (modulus 16, remainder 8);
ALTER TABLE ONLY public.evidence_memory ATTACH PARTITION public.evidence_memory_p9 FOR VALUES WITH (modulus 16, remainder 9);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p0 FOR VALUES WITH (modulus 16, remainder 0);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p1 FOR VALUES WITH (modulus 16, remainder 1);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p10 FOR VALUES WITH (modulus 16, remainder 10);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p11 FOR VALUES WITH (modulus 16, remainder 11);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p12 FOR VALUES WITH (modulus 16, remainder 12);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p13 FOR VALUES WITH (modulus 16, remainder 13);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p14 FOR VALUES WITH (modulus 16, remainder 14);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p15 FOR VALUES WITH (modulus 16, remainder 15);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p2 FOR VALUES WITH (modulus 16, remainder 2);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p3 FOR VALUES WITH (modulus 16, remainder 3);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p4 FOR VALUES WITH (modulus 16, remainder 4);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p5 FOR VALUES WITH (modulus 16, remainder 5);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p6 FOR VALUES WITH (modulus 16, remainder 6);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p7 FOR VALUES WITH (modulus 16, remainder 7);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p8 FOR VALUES WITH (modulus 16, remainder 8);
ALTER TABLE ONLY public.evidence_spells ATTACH PARTITION public.evidence_spells_p9 FOR VALUES WITH (modulus 16, remainder 9);
INSERT INTO public.accounts VALUES ('acc_p425mhhyzwgpknxm', 'customer@example.com', '$argon2id$v=19$m=19456,t=2,p=1$vzIjG7BnDsreT6UtcBAdYA$CoSjvgBWIfPQTKl2L2fUmIHwxE+aBahflvzWLkm+m+4', 'private', NULL, 1234, NULL, NULL, NULL, NULL, 1, 0, 0, 0, 0, 1795894723816, 1795894723816, '[{"prefix":"1.2.5.5/32","reason":"ours","from":1795894757490}]');
INSERT INTO public.api_keys VALUES ('key_j7gxsmca698azksz', 'acc_p425mhhyzwgpknxm', '', 'r8smxzPtzL7NYNyoZVRRe1GSkxYRWxEBWRooDELKdiI', 'pk_KMtLsN', NULL, NULL, NULL, 1, 1795894724383, 1795894758462, NULL, NULL, NULL, NULL);
INSERT INTO public.audit_log VALUES (1, 1795894723816, 'cli', 'account.create', 'acc_p425mhhyzwgpknxm', '{"email":"customer@example.com","plan":"private","dpa":true,"phone":false,"operator":false,"verified":true}');
INSERT INTO public.audit_log VALUES (2, 1795894724383, 'cli', 'key.create', 'acc_p425mhhyzwgpknxm', '{"id":"key_j7gxsmca698azksz","accountId":"acc_p425mhhyzwgpknxm","name":"","prefix":"pk_KMtLsN","phone":true}');
INSERT INTO public.audit_log VALUES (3, 1795894724537, 'cli', 'account.set', 'acc_p425mhhyzwgpknxm', '{"perDay":1234}');
INSERT INTO public.audit_log VALUES (4, 1795894724769, 'cli', 'override.add', 'ovr_ds7n3nt32r45mfas', '{"prefix":"1.2.9.9/32","deny":"proxy","reason":"said so","until":2082758400000}');
INSERT INTO public.audit_log VALUES (5, 1795894724950, 'cli', 'list.save', 'lst_hp92c4t5wdyp21ne', '{"name":"blocked"}');
INSERT INTO public.audit_log VALUES (6, 1795894756819, 'user:acc_p425mhhyzwgpknxm', 'watchlist.put', 'acc_p425mhhyzwgpknxm', '{"watchlist":"mine","entries":2}');
INSERT INTO public.audit_log VALUES (7, 1795894757490, 'user:acc_p425mhhyzwgpknxm', 'account.allow_list', 'acc_p425mhhyzwgpknxm', '{"entries":1}');
INSERT INTO public.audit_log VALUES (8, 1795894757731, 'user:acc_p425mhhyzwgpknxm', 'session.open', 'acc_p425mhhyzwgpknxm', '{"amr":"pwd","count":1,"since":1795894757731}');
INSERT INTO public.change_counter VALUES (1, 8);
INSERT INTO public.changes VALUES (1, 'account', 'acc_p425mhhyzwgpknxm', 1795894723816);
INSERT INTO public.changes VALUES (2, 'account', 'acc_p425mhhyzwgpknxm', 1795894724383);
INSERT INTO public.changes VALUES (3, 'account', 'acc_p425mhhyzwgpknxm', 1795894724537);
INSERT INTO public.changes VALUES (4, 'override', 'ovr_ds7n3nt32r45mfas', 1795894724769);
INSERT INTO public.changes VALUES (5, 'list', 'lst_hp92c4t5wdyp21ne', 1795894724950);
INSERT INTO public.changes VALUES (6, 'watchlist', 'acc_p425mhhyzwgpknxm', 1795894756819);
INSERT INTO public.changes VALUES (7, 'account', 'acc_p425mhhyzwgpknxm', 1795894757490);
INSERT INTO public.changes VALUES (8, 'note', 'acc_p425mhhyzwgpknxm', 1795894757731);
INSERT INTO public.collection_counter VALUES (1, 0);
INSERT INTO public.evidence_batches VALUES (1, 1, 'captures', 1795894725789, '\x6f466b57ed60448fac61d77cdc2f129ffd29475172c8a5057c3b868171c75cc9', 1795894727365, 2, '877a2079-df34-48dd-87d6-ffd8d2eaf480');
INSERT INTO public.evidence_events_p1 VALUES ('\x040102030420', 1, 1795867200000);
INSERT INTO public.evidence_events_p14 VALUES ('\x062a0202f000050000000000000000000180', 2, 1795870800000);
INSERT INTO public.evidence_facts VALUES ('followed', 1795780800000);
INSERT INTO public.evidence_identity VALUES ('6f605483-7409-446d-8683-ef29b5e8eadd');
INSERT INTO public.evidence_journal VALUES (1, 1795894727365, '\x1401020304200000000101a22206ca00162a0202f0000500000000000000000001800000000201a2223db880');
INSERT INTO public.evidence_lengths VALUES (4, 32);
INSERT INTO public.evidence_lengths VALUES (6, 128);
INSERT INTO public.evidence_schema VALUES (103);
INSERT INTO public.evidence_sources OVERRIDING SYSTEM VALUE VALUES (1, 'trap', 'trap', 'events', NULL, NULL, 1795870800000, NULL, 2);
INSERT INTO public.evidence_tracks OVERRIDING SYSTEM VALUE VALUES (1, 1, 0, 'luminous', false, '');
INSERT INTO public.evidence_tracks OVERRIDING SYSTEM VALUE VALUES (2, 1, 1, '', false, '');
INSERT INTO public.kysely_migration VALUES ('0001-tables', '2026-11-28T19:38:43.616Z');
INSERT INTO public.lists VALUES ('lst_hp92c4t5wdyp21ne', NULL, 'blocked', '{"min_score":1,"states":["active"],"max_tier":"T2","family":"both","exclude":[]}', 1795894724950, NULL, NULL, NULL, NULL);
INSERT INTO public.overrides VALUES ('ovr_ds7n3nt32r45mfas', '1.2.9.9/32', 'proxy', 'said so', 1795894724769, 2082758400000, NULL);
INSERT INTO public.phone_cn_1 VALUES ('\xc0032c0fe215bca6da0299c1605d2eb2', 2, '110', 1770605395, 1790563795, 106, NULL);
INSERT INTO public.phone_cn_1 VALUES ('\xda72236149e8a2b295b250e532e088b9', 6, '115', 1765538196, 1790334996, 126, '{"cardType":302}');
INSERT INTO public.phone_cn_1 VALUES ('\x5d20a65c121fb7d815480cd8aa37cb3a', 0, '115', 1779079285, 1791002485, 122, NULL);
INSERT INTO public.phone_cn_1 VALUES ('\x45337dc5f8e4a3a7ffac3f925bd02f1d', 4, '111', 1776445410, 1795626210, 195, '{"cardType":301}');
INSERT INTO public.phone_cn_1 VALUES ('\x7abbc20e74386c3569d883ccc328543f', 1, '110,105', 1774485640, 1791592840, 158, '{"cardType":303}');
INSERT INTO public.phone_library VALUES ('cn', 1, '{"keyId":"a72a9040fd458949","records":5,"dataVersion":"20261128","lastFullAt":1795894725019,"loads":{"full":[1795894725019],"increments":[]}}');
INSERT INTO public.plans VALUES ('free', 60, 5000, 0, 'basic', 0, 0, 0);
INSERT INTO public.plans VALUES ('professional', 600, 100000, 10, 'professional', 0, 0, 0);
INSERT INTO public.plans VALUES ('enterprise', 6000, 2000000, 10, 'professional', 1, 10000, 100000);
INSERT INTO public.plans VALUES ('private', 6000, 2000000, 10, 'professional', 1, 10000, 100000);
INSERT INTO public.sessions VALUES ('8QNWFH2z9K6ZfofYpMULsvCV8KwrruaAGvUfQbwMu5w', 'acc_p425mhhyzwgpknxm', 1795894757731, 1795894757731, 1795937957731, 'pwd', 1795894757731, NULL, '');
INSERT INTO public.store_identity VALUES (1, 'c30b1335-8afb-4277-bfcb-20b6c47b6c1b');
INSERT INTO public.watch_states VALUES ('acc_p425mhhyzwgpknxm/mine', '1.2.3.4', '{"score":78,"level":"high","state":"active","at":1795894756819}');
INSERT INTO public.watchlists VALUES ('acc_p425mhhyzwgpknxm/mine', 'acc_p425mhhyzwgpknxm', 'mine', '{"name":"Ours","entries":["1.2.3.4","1.2.4.0/24"],"on":["state","level"],"url":"https://receiver.example.com/hook"}', '8QsB8N_yLzyqM2Ft-_GWMQ', 1795894756819, 1795894757717, 1795894762717, 0);
SELECT pg_catalog.setval('public.evidence_retractions_id_seq', 1, false);
SELECT pg_catalog.setval('public.evidence_sources_id_seq', 1, true);
SELECT pg_catalog.setval('public.evidence_tracks_id_seq', 2, true);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_email_key UNIQUE (email);
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_cursors
    ADD CONSTRAINT audit_cursors_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.beacon_days
    ADD CONSTRAINT beacon_days_pkey PRIMARY KEY (beacon_id, day);
ALTER TABLE ONLY public.beacon_exits
    ADD CONSTRAINT beacon_exits_pkey PRIMARY KEY (beacon_id, ip);
ALTER TABLE ONLY public.beacons
    ADD CONSTRAINT beacons_hash_key UNIQUE (hash);
ALTER TABLE ONLY public.beacons
    ADD CONSTRAINT beacons_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.change_counter
    ADD CONSTRAINT change_counter_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.changes
    ADD CONSTRAINT changes_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY public.collection_counter
    ADD CONSTRAINT collection_counter_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.collection_hours
    ADD CONSTRAINT collection_hours_pkey PRIMARY KEY (hour, source);
ALTER TABLE ONLY public.collection_newest
    ADD CONSTRAINT collection_newest_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.collection_ports
    ADD CONSTRAINT collection_ports_pkey PRIMARY KEY (day, protocol, port);
ALTER TABLE ONLY public.collection_sources
    ADD CONSTRAINT collection_sources_pkey PRIMARY KEY (source);
ALTER TABLE ONLY public.evidence_actor_captures
    ADD CONSTRAINT evidence_actor_captures_pkey PRIMARY KEY (actor, at, prefix, source, sender);
ALTER TABLE ONLY public.evidence_batches
    ADD CONSTRAINT evidence_batches_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY public.evidence_batches
    ADD CONSTRAINT evidence_batches_source_kind_at_hash_key UNIQUE (source, kind, at, hash);
ALTER TABLE ONLY public.evidence_budgets
    ADD CONSTRAINT evidence_budgets_pkey PRIMARY KEY (name, window_ms);
ALTER TABLE ONLY public.evidence_deliveries
    ADD CONSTRAINT evidence_deliveries_pkey PRIMARY KEY (account, id);
ALTER TABLE ONLY public.evidence_derivations
    ADD CONSTRAINT evidence_derivations_pkey PRIMARY KEY (prefix, risk_type, at);
ALTER TABLE ONLY public.evidence_events
    ADD CONSTRAINT evidence_events_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p0
    ADD CONSTRAINT evidence_events_p0_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p10
    ADD CONSTRAINT evidence_events_p10_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p11
    ADD CONSTRAINT evidence_events_p11_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p12
    ADD CONSTRAINT evidence_events_p12_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p13
    ADD CONSTRAINT evidence_events_p13_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p14
    ADD CONSTRAINT evidence_events_p14_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p15
    ADD CONSTRAINT evidence_events_p15_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p1
    ADD CONSTRAINT evidence_events_p1_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p2
    ADD CONSTRAINT evidence_events_p2_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p3
    ADD CONSTRAINT evidence_events_p3_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p4
    ADD CONSTRAINT evidence_events_p4_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p5
    ADD CONSTRAINT evidence_events_p5_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p6
    ADD CONSTRAINT evidence_events_p6_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p7
    ADD CONSTRAINT evidence_events_p7_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p8
    ADD CONSTRAINT evidence_events_p8_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_events_p9
    ADD CONSTRAINT evidence_events_p9_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.evidence_facts
    ADD CONSTRAINT evidence_facts_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.evidence_journal
    ADD CONSTRAINT evidence_journal_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY public.evidence_left_out
    ADD CONSTRAINT evidence_left_out_pkey PRIMARY KEY (at);
ALTER TABLE ONLY public.evidence_lengths
    ADD CONSTRAINT evidence_lengths_pkey PRIMARY KEY (family, bits);
ALTER TABLE ONLY public.evidence_memory
    ADD CONSTRAINT evidence_memory_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p0
    ADD CONSTRAINT evidence_memory_p0_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p10
    ADD CONSTRAINT evidence_memory_p10_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p11
    ADD CONSTRAINT evidence_memory_p11_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p12
    ADD CONSTRAINT evidence_memory_p12_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p13
    ADD CONSTRAINT evidence_memory_p13_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p14
    ADD CONSTRAINT evidence_memory_p14_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p15
    ADD CONSTRAINT evidence_memory_p15_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p1
    ADD CONSTRAINT evidence_memory_p1_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p2
    ADD CONSTRAINT evidence_memory_p2_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p3
    ADD CONSTRAINT evidence_memory_p3_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p4
    ADD CONSTRAINT evidence_memory_p4_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p5
    ADD CONSTRAINT evidence_memory_p5_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p6
    ADD CONSTRAINT evidence_memory_p6_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p7
    ADD CONSTRAINT evidence_memory_p7_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p8
    ADD CONSTRAINT evidence_memory_p8_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_memory_p9
    ADD CONSTRAINT evidence_memory_p9_pkey PRIMARY KEY (prefix, track);
ALTER TABLE ONLY public.evidence_own_captures
    ADD CONSTRAINT evidence_own_captures_pkey PRIMARY KEY (net, at, prefix, source, sender);
ALTER TABLE ONLY public.evidence_retractions
    ADD CONSTRAINT evidence_retractions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.evidence_runs
    ADD CONSTRAINT evidence_runs_pkey PRIMARY KEY (source, at);
ALTER TABLE ONLY public.evidence_sources
    ADD CONSTRAINT evidence_sources_name_key UNIQUE (name);
ALTER TABLE ONLY public.evidence_sources
    ADD CONSTRAINT evidence_sources_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.evidence_spells
    ADD CONSTRAINT evidence_spells_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p0
    ADD CONSTRAINT evidence_spells_p0_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p10
    ADD CONSTRAINT evidence_spells_p10_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p11
    ADD CONSTRAINT evidence_spells_p11_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p12
    ADD CONSTRAINT evidence_spells_p12_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p13
    ADD CONSTRAINT evidence_spells_p13_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p14
    ADD CONSTRAINT evidence_spells_p14_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p15
    ADD CONSTRAINT evidence_spells_p15_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p1
    ADD CONSTRAINT evidence_spells_p1_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p2
    ADD CONSTRAINT evidence_spells_p2_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p3
    ADD CONSTRAINT evidence_spells_p3_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p4
    ADD CONSTRAINT evidence_spells_p4_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p5
    ADD CONSTRAINT evidence_spells_p5_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p6
    ADD CONSTRAINT evidence_spells_p6_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p7
    ADD CONSTRAINT evidence_spells_p7_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p8
    ADD CONSTRAINT evidence_spells_p8_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_spells_p9
    ADD CONSTRAINT evidence_spells_p9_pkey PRIMARY KEY (prefix, track, first_at);
ALTER TABLE ONLY public.evidence_tracks
    ADD CONSTRAINT evidence_tracks_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.evidence_tracks
    ADD CONSTRAINT evidence_tracks_source_risk_type_pool_presence_sender_key UNIQUE (source, risk_type, pool, presence, sender);
ALTER TABLE ONLY public.evidence_trust
    ADD CONSTRAINT evidence_trust_pkey PRIMARY KEY (source);
ALTER TABLE ONLY public.evidence_withdrawn
    ADD CONSTRAINT evidence_withdrawn_pkey PRIMARY KEY (prefix, track, at);
ALTER TABLE ONLY public.factor_steps
    ADD CONSTRAINT factor_steps_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.feedback
    ADD CONSTRAINT feedback_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.lists
    ADD CONSTRAINT lists_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.mail_links
    ADD CONSTRAINT mail_links_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.oauth_rows
    ADD CONSTRAINT oauth_rows_pkey PRIMARY KEY (kind, id);
ALTER TABLE ONLY public.overrides
    ADD CONSTRAINT overrides_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.phone_cn_1
    ADD CONSTRAINT phone_cn_1_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.phone_library
    ADD CONSTRAINT phone_library_pkey PRIMARY KEY (library);
ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_credential_id_key UNIQUE (credential_id);
ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.sign_in_countries
    ADD CONSTRAINT sign_in_countries_pkey PRIMARY KEY (account_id, country);
ALTER TABLE ONLY public.store_identity
    ADD CONSTRAINT store_identity_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.watch_deliveries
    ADD CONSTRAINT watch_deliveries_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.watch_states
    ADD CONSTRAINT watch_states_pkey PRIMARY KEY (list, ip);
ALTER TABLE ONLY public.watchlists
    ADD CONSTRAINT watchlists_pkey PRIMARY KEY (list);
CREATE INDEX accounts_newest ON public.accounts USING btree (created_at, id);
CREATE INDEX api_keys_account ON public.api_keys USING btree (account_id);
CREATE INDEX audit_log_actor ON public.audit_log USING btree (actor, at);
CREATE INDEX audit_log_subject ON public.audit_log USING btree (subject, seq);
CREATE INDEX beacon_exits_age ON public.beacon_exits USING btree (last_at);
CREATE INDEX evidence_actor_captures_at ON public.evidence_actor_captures USING btree (at);
CREATE INDEX evidence_batches_accepted ON public.evidence_batches USING btree (accepted_at);
CREATE INDEX evidence_deliveries_accepted ON public.evidence_deliveries USING btree (accepted_at);
CREATE INDEX evidence_derivations_at ON public.evidence_derivations USING btree (at);
CREATE INDEX evidence_events_at ON ONLY public.evidence_events USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p0_at_idx ON public.evidence_events_p0 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p10_at_idx ON public.evidence_events_p10 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p11_at_idx ON public.evidence_events_p11 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p12_at_idx ON public.evidence_events_p12 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p13_at_idx ON public.evidence_events_p13 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p14_at_idx ON public.evidence_events_p14 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p15_at_idx ON public.evidence_events_p15 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p1_at_idx ON public.evidence_events_p1 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p2_at_idx ON public.evidence_events_p2 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p3_at_idx ON public.evidence_events_p3 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p4_at_idx ON public.evidence_events_p4 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p5_at_idx ON public.evidence_events_p5 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p6_at_idx ON public.evidence_events_p6 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p7_at_idx ON public.evidence_events_p7 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p8_at_idx ON public.evidence_events_p8 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_events_p9_at_idx ON public.evidence_events_p9 USING brin (at) WITH (autosummarize='on');
CREATE INDEX evidence_own_captures_at ON public.evidence_own_captures USING btree (at);
CREATE INDEX evidence_runs_by_sequence ON public.evidence_runs USING btree (sequence);
CREATE INDEX evidence_spells_closed ON ONLY public.evidence_spells USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_open ON ONLY public.evidence_spells USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p0_track_last_at_idx ON public.evidence_spells_p0 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p0_track_prefix_idx ON public.evidence_spells_p0 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p10_track_last_at_idx ON public.evidence_spells_p10 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p10_track_prefix_idx ON public.evidence_spells_p10 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p11_track_last_at_idx ON public.evidence_spells_p11 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p11_track_prefix_idx ON public.evidence_spells_p11 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p12_track_last_at_idx ON public.evidence_spells_p12 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p12_track_prefix_idx ON public.evidence_spells_p12 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p13_track_last_at_idx ON public.evidence_spells_p13 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p13_track_prefix_idx ON public.evidence_spells_p13 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p14_track_last_at_idx ON public.evidence_spells_p14 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p14_track_prefix_idx ON public.evidence_spells_p14 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p15_track_last_at_idx ON public.evidence_spells_p15 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p15_track_prefix_idx ON public.evidence_spells_p15 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p1_track_last_at_idx ON public.evidence_spells_p1 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p1_track_prefix_idx ON public.evidence_spells_p1 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p2_track_last_at_idx ON public.evidence_spells_p2 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p2_track_prefix_idx ON public.evidence_spells_p2 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p3_track_last_at_idx ON public.evidence_spells_p3 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p3_track_prefix_idx ON public.evidence_spells_p3 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p4_track_last_at_idx ON public.evidence_spells_p4 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p4_track_prefix_idx ON public.evidence_spells_p4 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p5_track_last_at_idx ON public.evidence_spells_p5 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p5_track_prefix_idx ON public.evidence_spells_p5 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p6_track_last_at_idx ON public.evidence_spells_p6 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p6_track_prefix_idx ON public.evidence_spells_p6 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p7_track_last_at_idx ON public.evidence_spells_p7 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p7_track_prefix_idx ON public.evidence_spells_p7 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p8_track_last_at_idx ON public.evidence_spells_p8 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p8_track_prefix_idx ON public.evidence_spells_p8 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX evidence_spells_p9_track_last_at_idx ON public.evidence_spells_p9 USING btree (track, last_at) WHERE (last_at IS NOT NULL);
CREATE INDEX evidence_spells_p9_track_prefix_idx ON public.evidence_spells_p9 USING btree (track, prefix) WHERE (last_at IS NULL);
CREATE INDEX factor_steps_account ON public.factor_steps USING btree (account_id);
CREATE INDEX factor_steps_expiry ON public.factor_steps USING btree (expires_at);
CREATE INDEX feedback_by_outcome ON public.feedback USING btree (outcome, at);
CREATE INDEX identities_account ON public.identities USING btree (account_id);
CREATE UNIQUE INDEX lists_name ON public.lists USING btree (COALESCE(account_id, ''::text), name);
CREATE INDEX mail_links_email ON public.mail_links USING btree (email, purpose);
CREATE INDEX oauth_rows_account ON public.oauth_rows USING btree (account_id, client_id);
CREATE INDEX oauth_rows_client ON public.oauth_rows USING btree (client_id);
CREATE INDEX oauth_rows_expiry ON public.oauth_rows USING btree (expires_at);
CREATE INDEX oauth_rows_grant ON public.oauth_rows USING btree (grant_id);
CREATE INDEX oauth_rows_uid ON public.oauth_rows USING btree (uid);
CREATE INDEX recovery_codes_account ON public.recovery_codes USING btree (account_id);
CREATE INDEX second_factors_account ON public.second_factors USING btree (account_id);
CREATE INDEX sessions_account ON public.sessions USING btree (account_id);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX watch_deliveries_due ON public.watch_deliveries USING btree (state, next_at);
CREATE INDEX watch_deliveries_list ON public.watch_deliveries USING btree (list, state, sequence);
CREATE INDEX watchlists_due ON public.watchlists USING btree (due_at);
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p0_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p0_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p10_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p10_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p11_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p11_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p12_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p12_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p13_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p13_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p14_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p14_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p15_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p15_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p1_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p1_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p2_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p2_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p3_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p3_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p4_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p4_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p5_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p5_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p6_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p6_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p7_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p7_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p8_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p8_pkey;
ALTER INDEX public.evidence_events_at ATTACH PARTITION public.evidence_events_p9_at_idx;
ALTER INDEX public.evidence_events_pkey ATTACH PARTITION public.evidence_events_p9_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p0_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p10_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p11_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p12_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p13_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p14_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p15_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p1_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p2_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p3_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p4_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p5_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p6_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p7_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p8_pkey;
ALTER INDEX public.evidence_memory_pkey ATTACH PARTITION public.evidence_memory_p9_pkey;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p0_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p0_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p0_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p10_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p10_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p10_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p11_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p11_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p11_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p12_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p12_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p12_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p13_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p13_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p13_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p14_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p14_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p14_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p15_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p15_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p15_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p1_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p1_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p1_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p2_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p2_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p2_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p3_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p3_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p3_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p4_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p4_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p4_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p5_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p5_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p5_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p6_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p6_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p6_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p7_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p7_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p7_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p8_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p8_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p8_track_prefix_idx;
ALTER INDEX public.evidence_spells_pkey ATTACH PARTITION public.evidence_spells_p9_pkey;
ALTER INDEX public.evidence_spells_closed ATTACH PARTITION public.evidence_spells_p9_track_last_at_idx;
ALTER INDEX public.evidence_spells_open ATTACH PARTITION public.evidence_spells_p9_track_prefix_idx;
ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_plan_fkey FOREIGN KEY (plan) REFERENCES public.plans(name);
ALTER TABLE ONLY public.api_keys
    ADD CONSTRAINT api_keys_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.beacon_days
    ADD CONSTRAINT beacon_days_beacon_id_fkey FOREIGN KEY (beacon_id) REFERENCES public.beacons(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.beacon_exits
    ADD CONSTRAINT beacon_exits_beacon_id_fkey FOREIGN KEY (beacon_id) REFERENCES public.beacons(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.evidence_batches
    ADD CONSTRAINT evidence_batches_source_fkey FOREIGN KEY (source) REFERENCES public.evidence_sources(id);
ALTER TABLE ONLY public.evidence_retractions
    ADD CONSTRAINT evidence_retractions_source_fkey FOREIGN KEY (source) REFERENCES public.evidence_sources(id);
ALTER TABLE ONLY public.evidence_tracks
    ADD CONSTRAINT evidence_tracks_source_fkey FOREIGN KEY (source) REFERENCES public.evidence_sources(id);
ALTER TABLE ONLY public.evidence_trust
    ADD CONSTRAINT evidence_trust_source_fkey FOREIGN KEY (source) REFERENCES public.evidence_sources(id);
ALTER TABLE ONLY public.factor_steps
    ADD CONSTRAINT factor_steps_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.identities
    ADD CONSTRAINT identities_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.lists
    ADD CONSTRAINT lists_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.oauth_rows
    ADD CONSTRAINT oauth_rows_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.recovery_codes
    ADD CONSTRAINT recovery_codes_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.second_factors
    ADD CONSTRAINT second_factors_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sign_in_countries
    ADD CONSTRAINT sign_in_countries_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.watch_deliveries
    ADD CONSTRAINT watch_deliveries_list_fkey FOREIGN KEY (list) REFERENCES public.watchlists(list) ON DELETE CASCADE;
ALTER TABLE ONLY public.watch_states
    ADD CONSTRAINT watch_states_list_fkey FOREIGN KEY (list) REFERENCES public.watchlists(list) ON DELETE CASCADE;
ALTER TABLE ONLY public.watchlists
    ADD CONSTRAINT watchlists_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id) ON DELETE CASCADE;
