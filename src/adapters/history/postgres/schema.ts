import type { ClientBase } from 'pg';
import { otherRelease } from '../other-release.ts';

/**
 * Tables of the evidence store in PostgreSQL; their meaning is that of the SQLite store's (docs/storage.md), and times are milliseconds.
 *
 * `prefix` is family (4 or 6), address and length as 6 or 18 bytes: bytes compare as (family, address, length) does, so every index is in prefix order.
 *
 * The three large tables are partitioned by hash of the prefix, not by source or time: a look-up asks for a handful of prefixes and so meets one partition
 * a prefix, where sources (dozens) or weeks (eleven) would multiply its index descents; a run or an import touches rows of one source in every partition
 * by that source's own index; and no partition is made or dropped while the service runs, which would take locks that stop readers behind a long scan.
 * What partitions give here is smaller indexes, vacuum by several workers, and parts that can be moved to a tablespace of their own.
 */
const PARTITIONS = 16;

const partitioned = (table: string): string[] =>
  Array.from(
    { length: PARTITIONS },
    (_, part) =>
      `create table ${table}_p${part} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${part})`,
  );

const SCHEMA: readonly string[] = [
  'create table evidence_identity (store uuid not null)',
  'insert into evidence_identity (store) values (gen_random_uuid())',
  `create table evidence_sources (
    id integer generated always as identity primary key, name text not null unique, family text not null, mode text not null, risk_type text,
    shared_by text, last_run_at bigint, last_error_at bigint, rows bigint not null default 0
  )`,
  `create table evidence_tracks (
    id integer generated always as identity primary key, source integer not null references evidence_sources(id), risk_type integer not null,
    pool text not null, presence boolean not null, unique (source, risk_type, pool, presence)
  )`,
  // Sequence numbers are given under the writers' lock: gapless, and visible in their order.
  `create table evidence_batches (
    sequence bigint primary key, source integer not null references evidence_sources(id), kind text not null, at bigint not null, hash bytea not null,
    accepted_at bigint not null, rows bigint not null, mark uuid not null default gen_random_uuid(),
    unique (source, kind, at, hash)
  )`,
  'create index evidence_batches_accepted on evidence_batches (accepted_at)',
  'create table evidence_journal (sequence bigint primary key, accepted_at bigint not null, log bytea)',
  'alter table evidence_journal alter column log set storage external',
  `create table evidence_runs (
    source integer not null references evidence_sources(id), at bigint not null, sequence bigint not null, primary key (source, at)
  )`,
  'create index evidence_runs_by_sequence on evidence_runs (sequence)',
  `create table evidence_spells (
    prefix bytea not null, track integer not null, first_at bigint not null, last_at bigint, primary key (prefix, track, first_at)
  ) partition by hash (prefix)`,
  ...partitioned('evidence_spells'),
  'create index evidence_spells_open on evidence_spells (track, prefix) where last_at is null',
  'create index evidence_spells_closed on evidence_spells (track, last_at) where last_at is not null',
  `create table evidence_events (
    prefix bytea not null, track integer not null, at bigint not null, primary key (prefix, track, at)
  ) partition by hash (prefix)`,
  ...partitioned('evidence_events'),
  // Rows lie in the order of their arrival, which is nearly that of their times: a few pages of index find what is old.
  'create index evidence_events_at on evidence_events using brin (at) with (autosummarize = on)',
  `create table evidence_memory (
    prefix bytea not null, track integer not null, first_at bigint not null, last_at bigint not null, primary key (prefix, track)
  ) partition by hash (prefix)`,
  ...partitioned('evidence_memory'),
  'create table evidence_lengths (family integer not null, bits integer not null, primary key (family, bits))',
  'create table evidence_facts (name text primary key, value bigint not null)',
  'create table evidence_left_out (at bigint primary key, sources text)',
  // Without a reference: sources are never deleted, and asking for the source of each capture costs more than storing it.
  `create table evidence_own_captures (
    net bigint not null, at bigint not null, prefix bytea not null, source integer not null, primary key (net, at, prefix, source)
  )`,
  'create index evidence_own_captures_at on evidence_own_captures (at)',
  `create table evidence_actor_captures (
    actor text not null, at bigint not null, prefix bytea not null, source integer not null, primary key (actor, at, prefix, source)
  )`,
  'create index evidence_actor_captures_at on evidence_actor_captures (at)',
  `create table evidence_derivations (
    prefix bytea not null, risk_type integer not null, at bigint not null, sources text not null, spans text not null, reason text not null,
    retracted_at bigint, primary key (prefix, risk_type, at)
  )`,
  'create index evidence_derivations_at on evidence_derivations (at)',
  'create table evidence_withdrawn (prefix bytea not null, track integer not null, at bigint not null, made_at bigint not null, primary key (prefix, track, at))',
  `create table evidence_deliveries (
    account text not null, id text not null, digest bytea not null, accepted_at bigint not null, answer text not null, primary key (account, id)
  )`,
  'create index evidence_deliveries_accepted on evidence_deliveries (accepted_at)',
  'create table evidence_budgets (name text not null, window_ms bigint not null, begun_at bigint not null, rows bigint not null, primary key (name, window_ms))',
  `create table evidence_retractions (
    id integer generated always as identity primary key, source integer not null references evidence_sources(id),
    from_at bigint not null, to_at bigint not null, made_at bigint not null
  )`,
  `create table evidence_trust (
    source integer primary key references evidence_sources(id), trust text not null, made_at bigint not null, actor text not null, reason text not null
  )`,
];

/** Version of these tables. */
const VERSION = 101;

/** Key of the advisory lock that writers of evidence hold for one transaction each. */
export const WRITERS_LOCK = 7_301_001;

/**
 * Makes the evidence tables, once however many nodes start together.
 * @throws when another release made them
 */
export async function migrateEvidence(client: ClientBase): Promise<void> {
  // Writers hold the lock for as long as their batch takes, and those who only read must not wait for them.
  if (await isCurrent(client)) return;
  // Another node that starts now may be at it, and is waited for.
  await client.query('begin; set local statement_timeout = 0');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [WRITERS_LOCK]);
    await client.query('create table if not exists evidence_schema (version integer not null)');
    const { rows } = await client.query<{ version: number }>('select version from evidence_schema');
    if (rows[0] === undefined) {
      for (const statement of SCHEMA) await client.query(statement);
      await client.query('insert into evidence_schema (version) values ($1)', [VERSION]);
    } else if (rows[0].version !== VERSION) throw otherRelease('the evidence in PULSE_DATABASE_URL');
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function isCurrent(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('evidence_schema') is not null as found`);
  if (rows[0]?.found !== true) return false;
  const { rows: made } = await client.query<{ version: number }>('select version from evidence_schema');
  return made[0]?.version === VERSION;
}
