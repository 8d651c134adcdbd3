/**
 * - `number`: holds integers up to 2^53: times in milliseconds, counts.
 * - `numbered`: table definitions end with these: with a numeric key, with another key, with prefixes in the key, and
 *   for the three large tables.
 */
export interface TableWords {
  readonly id: string;
  readonly number: string;
  readonly flag: string;
  readonly bytes: string;
  readonly prefix: string;
  readonly random: string;
  readonly numbered: string;
  readonly keyed: string;
  readonly prefixed: string;
  readonly large: string;
}

export const tables = ({ id, number, flag, bytes, prefix, random, ...end }: TableWords): readonly string[] => [
  `create table evidence_identity (store text not null)${end.numbered}`,
  `insert into evidence_identity (store) values (${random})`,
  `create table evidence_sources (
    id ${id} primary key, name text not null unique, family text not null, mode text not null, risk_type text,
    shared_by text, last_run_at ${number}, last_error_at ${number}, rows ${number} not null default 0
  )${end.numbered}`,
  // Series of rows that begin and end independently. `sender` is the id of the key that brought them, or ''.
  // Series with presence record which entries an appearance listing holds; only their events are captures.
  `create table evidence_tracks (
    id ${id} primary key, source integer not null references evidence_sources(id), risk_type integer not null,
    pool text not null, presence ${flag} not null, sender text not null, unique (source, risk_type, pool, presence, sender)
  )${end.numbered}`,
  `create table evidence_batches (
    sequence ${number} primary key, source integer not null references evidence_sources(id), kind text not null, at ${number} not null,
    hash ${bytes} not null, accepted_at ${number} not null, rows ${number} not null, mark text not null default (${random}),
    unique (source, kind, at, hash)
  )${end.numbered}`,
  'create index evidence_batches_accepted on evidence_batches (accepted_at)',
  // Changes of a batch, packed as in change-log.ts; null when there were too many.
  `create table evidence_journal (sequence ${number} primary key, accepted_at ${number} not null, log ${bytes})${end.numbered}`,
  `create table evidence_runs (
    source integer not null, at ${number} not null, sequence ${number} not null, primary key (source, at)
  )${end.keyed}`,
  'create index evidence_runs_by_sequence on evidence_runs (sequence)',
  `create table evidence_spells (
    prefix ${prefix} not null, track integer not null, first_at ${number} not null, last_at ${number}, primary key (prefix, track, first_at)
  )${end.large}`,
  'create index evidence_spells_open on evidence_spells (track, prefix) where last_at is null',
  'create index evidence_spells_closed on evidence_spells (track, last_at) where last_at is not null',
  `create table evidence_events (
    prefix ${prefix} not null, track integer not null, at ${number} not null, primary key (prefix, track, at)
  )${end.large}`,
  `create table evidence_memory (
    prefix ${prefix} not null, track integer not null, first_at ${number} not null, last_at ${number} not null, primary key (prefix, track)
  )${end.large}`,
  `create table evidence_lengths (family integer not null, bits integer not null, primary key (family, bits))${end.keyed}`,
  `create table evidence_facts (name text primary key, value ${number} not null)${end.keyed}`,
  // Lists the sources missing from verdicts since a moment, as JSON; null when no notes arrived.
  `create table evidence_left_out (at ${number} primary key, sources text)${end.numbered}`,
  // Single IPv6 addresses that own collection captured in the last days; net is the number of their /48.
  // There is no foreign key: sources are never deleted, and checking the source of each capture costs more
  // than storing it.
  `create table evidence_own_captures (
    net ${number} not null, at ${number} not null, prefix ${prefix} not null, source integer not null, sender text not null,
    primary key (net, at, prefix, source, sender)
  )${end.prefixed}`,
  'create index evidence_own_captures_at on evidence_own_captures (at)',
  `create table evidence_actor_captures (
    actor text not null, at ${number} not null, prefix ${prefix} not null, source integer not null, sender text not null,
    primary key (actor, at, prefix, source, sender)
  )${end.prefixed}`,
  'create index evidence_actor_captures_at on evidence_actor_captures (at)',
  // Says why each capture of the source `derived` exists: ids and first and last moments of its support
  // (support-of.ts), as JSON arrays.
  `create table evidence_derivations (
    prefix ${prefix} not null, risk_type integer not null, at ${number} not null, sources text not null, spans text not null, reason text not null,
    retracted_at ${number}, primary key (prefix, risk_type, at)
  )${end.prefixed}`,
  'create index evidence_derivations_at on evidence_derivations (at)',
  // Derived captures whose whole support was retracted. They left events and stay here for answers about the
  // time before.
  `create table evidence_withdrawn (
    prefix ${prefix} not null, track integer not null, at ${number} not null, made_at ${number} not null, primary key (prefix, track, at)
  )${end.prefixed}`,
  `create table evidence_deliveries (
    account text not null, id text not null, digest ${bytes} not null, accepted_at ${number} not null, answer text not null, primary key (account, id)
  )${end.keyed}`,
  'create index evidence_deliveries_accepted on evidence_deliveries (accepted_at)',
  `create table evidence_budgets (
    name text not null, window_ms ${number} not null, begun_at ${number} not null, rows ${number} not null, primary key (name, window_ms)
  )${end.keyed}`,
  // Captures that an operator retracted at made_at: those of a source and key (or '' for all keys) from
  // from_at until before to_at.
  `create table evidence_retractions (
    id ${id} primary key, source integer not null references evidence_sources(id), sender text not null,
    from_at ${number} not null, to_at ${number} not null, made_at ${number} not null
  )${end.numbered}`,
  `create table evidence_trust (
    source integer primary key references evidence_sources(id), trust text not null, made_at ${number} not null, actor text not null, reason text not null
  )${end.numbered}`,
];

/** The number of the first tables. Later ones are told by their migrations. */
export const TABLES_VERSION = 103;

/**
 * `prefix` is the key of prefix-key.ts: an integer for IPv4, 17 bytes for IPv6. Its tables are not strict, so
 * that one column holds both and integers take as few bytes as they need.
 */
export const SQLITE_TABLES = tables({
  id: 'integer',
  number: 'integer',
  flag: 'integer',
  bytes: 'blob',
  prefix: 'integer',
  random: 'lower(hex(randomblob(16)))',
  numbered: ' strict',
  keyed: ' without rowid, strict',
  prefixed: ' without rowid',
  large: ' without rowid',
});

export const EVIDENCE_MIGRATIONS = 'evidence_migrations';
