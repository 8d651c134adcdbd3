import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sqliteCode } from '../../database/sqlite-faults.ts';
import { otherRelease } from '../other-release.ts';

/**
 * `prefix` is the key of prefix-key.ts: a whole number for IPv4, 17 bytes for IPv6; its tables are not strict, so that one column holds both and numbers
 * are stored in as few bytes as they need. Times are milliseconds. Meanings: docs/storage.md.
 */
const SCHEMA = `
create table identity (store text not null) strict;
insert into identity (store) values (lower(hex(randomblob(16))));
create table sources (
  id integer primary key,
  name text not null unique,
  family text not null,
  mode text not null,
  risk_type text,
  shared_by text,
  last_run_at integer,
  last_error_at integer,
  rows integer not null default 0
) strict;
-- What can begin and end by itself. Those with presence = 1 remember which entries an appearance listing holds; only their events are captures.
create table tracks (
  id integer primary key,
  source integer not null references sources(id),
  risk_type integer not null,
  pool text not null,
  presence integer not null,
  unique (source, risk_type, pool, presence)
) strict;
create table batches (
  sequence integer primary key autoincrement,
  source integer not null references sources(id),
  kind text not null,
  at integer not null,
  hash blob not null,
  accepted_at integer not null,
  rows integer not null,
  mark text not null default (lower(hex(randomblob(8)))),
  unique (source, kind, at, hash)
) strict;
create table runs (
  source integer not null references sources(id),
  at integer not null,
  sequence integer not null,
  primary key (source, at)
) without rowid, strict;
create index runs_by_sequence on runs (sequence);
create table spells (
  prefix integer not null,
  track integer not null,
  first_at integer not null,
  last_at integer,
  primary key (prefix, track, first_at)
) without rowid;
create index spells_open on spells (track, prefix) where last_at is null;
create index spells_closed on spells (track, last_at) where last_at is not null;
create table events (
  prefix integer not null,
  track integer not null,
  at integer not null,
  primary key (prefix, track, at)
) without rowid;
create table memory (
  prefix integer not null,
  track integer not null,
  first_at integer not null,
  last_at integer not null,
  primary key (prefix, track)
) without rowid;
create table lengths (
  family integer not null,
  bits integer not null,
  primary key (family, bits)
) without rowid, strict;
create table journal (sequence integer primary key, accepted_at integer not null, log blob) strict;
create table facts (name text primary key, value integer not null) without rowid, strict;
-- What verdicts lacked of the sources from a moment on, as JSON; null: no notes came.
create table left_out (at integer primary key, sources text) strict;
-- Single IPv6 addresses that own collection captured in the last days; net is the number of their /48.
create table own_captures (
  net integer not null,
  at integer not null,
  prefix blob not null,
  source integer not null,
  primary key (net, at, prefix, source)
) without rowid, strict;
create index own_captures_at on own_captures (at);
-- Captures of own collection in the last days whose source recognised who it was.
create table actor_captures (
  actor text not null,
  at integer not null,
  prefix integer not null,
  source integer not null,
  primary key (actor, at, prefix, source)
) without rowid;
create index actor_captures_at on actor_captures (at);
-- Why each capture of the source derived is there: ids and first and last moments of what it rests on (../support-of.ts), as JSON arrays.
create table derivations (
  prefix integer not null,
  risk_type integer not null,
  at integer not null,
  sources text not null,
  spans text not null,
  reason text not null,
  retracted_at integer,
  primary key (prefix, risk_type, at)
) without rowid;
create index derivations_at on derivations (at);
-- Derived captures whose whole support was taken back: they left events and stay here for answers about the time before.
create table withdrawn (
  prefix integer not null,
  track integer not null,
  at integer not null,
  made_at integer not null,
  primary key (prefix, track, at)
) without rowid;
-- Batches of senders by the id they gave them, with the answer they got.
create table deliveries (
  account text not null,
  id text not null,
  digest blob not null,
  accepted_at integer not null,
  answer text not null,
  primary key (account, id)
) without rowid, strict;
create index deliveries_accepted on deliveries (accepted_at);
-- Rows taken in under a name in the newest window, by its length.
create table budgets (
  name text not null,
  window_ms integer not null,
  begun_at integer not null,
  rows integer not null,
  primary key (name, window_ms)
) without rowid, strict;
-- Captures that an operator took back: of a source, from a moment until before another, since made_at.
create table retractions (
  id integer primary key,
  source integer not null references sources(id),
  from_at integer not null,
  to_at integer not null,
  made_at integer not null
) strict;
-- The operator's latest decision on each source.
create table trust (
  source integer primary key references sources(id),
  trust text not null,
  made_at integer not null,
  actor text not null,
  reason text not null
) strict;
`;

/** `user_version` of these tables; 0 is a file without any. */
const VERSION = 101;

/**
 * Opens (and on first use makes) the evidence database. Several processes may have it open: one writes at a time, readers never wait.
 * @throws when the file was made by another release or another program
 */
export function openEvidenceDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  try {
    const database = new DatabaseSync(path, { timeout: 30_000 });
    requireOurs(database, path);
    database.exec(
      'pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -65536; pragma mmap_size = 1073741824',
    );
    makeTables(database);
    return database;
  } catch (error) {
    // A lock or a full disk passes; the others stay until an operator acts.
    if (![CANTOPEN, CORRUPT, NOTADB].includes(sqliteCode(error))) throw error;
    throw unusable(path, (error as Error).message, { cause: error });
  }
}

const unusable = (path: string, why: string, options?: ErrorOptions): Error =>
  new Error(
    `${path} cannot be used as the evidence database (${why}): restore it from a backup, or move it away, and new evidence is taken`,
    options,
  );

/** Asked before anything is written. Tables without our version are another program's. */
function requireOurs(database: DatabaseSync, path: string): void {
  const { version, held } = database
    .prepare('select user_version as version, exists (select 1 from sqlite_master) as held from pragma_user_version')
    .get()!;
  if (version === VERSION || (version === 0 && held === 0)) return;
  database.close();
  throw version === 0 ? unusable(path, 'it belongs to another program') : otherRelease(path);
}

/** https://www.sqlite.org/rescode.html */
const [CORRUPT, CANTOPEN, NOTADB] = [11, 14, 26];

/** Several processes may come here at once. */
function makeTables(database: DatabaseSync): void {
  const made = (): boolean => database.prepare('pragma user_version').get()!.user_version === VERSION;
  if (made()) return;
  try {
    database.exec('begin immediate');
    database.exec(made() ? 'commit' : `${SCHEMA} pragma user_version = ${VERSION}; commit`);
  } catch (error) {
    database.close();
    throw error;
  }
}
