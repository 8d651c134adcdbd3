pragma user_version = 103;
CREATE TABLE identity (store text not null) strict;
CREATE TABLE sources (
    id integer primary key, name text not null unique, family text not null, mode text not null, risk_type text,
    shared_by text, last_run_at integer, last_error_at integer, rows integer not null default 0
  ) strict;
CREATE TABLE tracks (
    id integer primary key, source integer not null references sources(id), risk_type integer not null,
    pool text not null, presence integer not null, sender text not null, unique (source, risk_type, pool, presence, sender)
  ) strict;
CREATE TABLE batches (
    sequence integer primary key, source integer not null references sources(id), kind text not null, at integer not null,
    hash blob not null, accepted_at integer not null, rows integer not null, mark text not null default (lower(hex(randomblob(16)))),
    unique (source, kind, at, hash)
  ) strict;
CREATE TABLE journal (sequence integer primary key, accepted_at integer not null, log blob) strict;
CREATE TABLE runs (
    source integer not null, at integer not null, sequence integer not null, primary key (source, at)
  ) without rowid, strict;
CREATE TABLE spells (
    prefix integer not null, track integer not null, first_at integer not null, last_at integer, primary key (prefix, track, first_at)
  ) without rowid;
CREATE TABLE events (
    prefix integer not null, track integer not null, at integer not null, primary key (prefix, track, at)
  ) without rowid;
CREATE TABLE memory (
    prefix integer not null, track integer not null, first_at integer not null, last_at integer not null, primary key (prefix, track)
  ) without rowid;
CREATE TABLE lengths (family integer not null, bits integer not null, primary key (family, bits)) without rowid, strict;
CREATE TABLE facts (name text primary key, value integer not null) without rowid, strict;
CREATE TABLE left_out (at integer primary key, sources text) strict;
CREATE TABLE own_captures (
    net integer not null, at integer not null, prefix integer not null, source integer not null, sender text not null,
    primary key (net, at, prefix, source, sender)
  ) without rowid;
CREATE TABLE actor_captures (
    actor text not null, at integer not null, prefix integer not null, source integer not null, sender text not null,
    primary key (actor, at, prefix, source, sender)
  ) without rowid;
CREATE TABLE derivations (
    prefix integer not null, risk_type integer not null, at integer not null, sources text not null, spans text not null, reason text not null,
    retracted_at integer, primary key (prefix, risk_type, at)
  ) without rowid;
CREATE TABLE withdrawn (
    prefix integer not null, track integer not null, at integer not null, made_at integer not null, primary key (prefix, track, at)
  ) without rowid;
CREATE TABLE deliveries (
    account text not null, id text not null, digest blob not null, accepted_at integer not null, answer text not null, primary key (account, id)
  ) without rowid, strict;
CREATE TABLE budgets (
    name text not null, window_ms integer not null, begun_at integer not null, rows integer not null, primary key (name, window_ms)
  ) without rowid, strict;
CREATE TABLE retractions (
    id integer primary key, source integer not null references sources(id), sender text not null,
    from_at integer not null, to_at integer not null, made_at integer not null
  ) strict;
CREATE TABLE trust (
    source integer primary key references sources(id), trust text not null, made_at integer not null, actor text not null, reason text not null
  ) strict;
insert into "identity" values ('650b08bdf01ae67dc9c7441bf33ccd54');
insert into "sources" values (1,'trap','trap','events',NULL,NULL,1795870800000,NULL,2);
insert into "tracks" values (1,1,0,'luminous',0,'');
insert into "tracks" values (2,1,1,'',0,'');
insert into "batches" values (1,1,'captures',1795894658011,X'6F466B57ED60448FAC61D77CDC2F129FFD29475172C8A5057C3B868171C75CC9',1795894658125,2,'3b4c13f92525edca4a9bbc93e4fe0736');
insert into "journal" values (1,1795894658125,X'1401020304200000000101A22206CA00162A0202F0000500000000000000000001800000000201A2223DB880');
insert into "events" values (1082179872,1,1795867200000);
insert into "events" values (X'2A0202F000050000000000000000000180',2,1795870800000);
insert into "lengths" values (4,32);
insert into "lengths" values (6,128);
insert into "facts" values ('followed',1795780800000);
CREATE INDEX batches_accepted on batches (accepted_at);
CREATE INDEX runs_by_sequence on runs (sequence);
CREATE INDEX spells_open on spells (track, prefix) where last_at is null;
CREATE INDEX spells_closed on spells (track, last_at) where last_at is not null;
CREATE INDEX own_captures_at on own_captures (at);
CREATE INDEX actor_captures_at on actor_captures (at);
CREATE INDEX derivations_at on derivations (at);
CREATE INDEX deliveries_accepted on deliveries (accepted_at);
