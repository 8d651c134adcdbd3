import type { ClientBase } from 'pg';
import { TABLES_VERSION, tables } from '../tables.ts';
import { otherReleaseError } from '../upkeep/other-release-error.ts';
import { READING_FUNCTIONS } from './read-prefixes.ts';

/**
 * `prefix` is family (4 or 6), address and length as 6 or 18 bytes. Bytes compare as (family, address,
 * length) does, so every index is in prefix order.
 *
 * The three large tables are partitioned by a hash of the prefix, not by source or time. A lookup asks for a
 * handful of prefixes and meets one partition for each; partitions by source (dozens) or week (eleven) would
 * multiply its index descents. A run or an import finds the rows of one source in every partition by that
 * source's own index. No partition is created or dropped while the service runs, which would take locks that
 * block readers behind a long scan. Partitions keep indexes small, let several workers vacuum, and can be
 * moved to another tablespace.
 */
export const PARTITIONS = 16;

const LARGE = ['evidence_spells', 'evidence_events', 'evidence_memory'];

const SCHEMA: readonly string[] = [
  ...tables({
    id: 'integer generated always as identity',
    number: 'bigint',
    flag: 'boolean',
    bytes: 'bytea',
    prefix: 'bytea',
    random: 'gen_random_uuid()::text',
    numbered: '',
    keyed: '',
    prefixed: '',
    large: ' partition by hash (prefix)',
  }),
  ...LARGE.flatMap((table) =>
    Array.from(
      { length: PARTITIONS },
      (_, part) =>
        `create table ${table}_p${part} partition of ${table} for values with (modulus ${PARTITIONS}, remainder ${part})`,
    ),
  ),
  'alter table evidence_journal alter column log set storage external',
  // Rows are stored in order of arrival, which is nearly the order of their times, so a small BRIN index
  // finds old rows.
  'create index evidence_events_at on evidence_events using brin (at) with (autosummarize = on)',
];

/** Each writer of evidence holds this advisory lock for one transaction. */
export const WRITER_LOCK = 7_301_001;

/** Creates the evidence tables, once even if several nodes start together. */
export async function migrateEvidence(client: ClientBase): Promise<void> {
  // Writers hold the lock for as long as their batch takes, and readers must not wait for them.
  if (await isCurrent(client)) return;
  // Waits for another node that may be creating the tables now.
  await client.query('begin; set local statement_timeout = 0');
  try {
    await client.query('select pg_advisory_xact_lock($1)', [WRITER_LOCK]);
    await client.query('create table if not exists evidence_schema (version integer not null)');
    const { rows } = await client.query<{ version: number }>('select version from evidence_schema');
    if (rows[0] === undefined) {
      for (const statement of SCHEMA) await client.query(statement);
      await client.query('insert into evidence_schema (version) values ($1)', [TABLES_VERSION]);
    } else if (rows[0].version !== TABLES_VERSION) throw otherReleaseError('the evidence in PULSE_DATABASE_URL');
    for (const statement of READING_FUNCTIONS) await client.query(statement);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function isCurrent(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query(
    `select to_regclass('evidence_schema') is not null and to_regproc('evidence_at_each') is not null as found`,
  );
  if (rows[0]?.found !== true) return false;
  const { rows: made } = await client.query<{ version: number }>('select version from evidence_schema');
  return made[0]?.version === TABLES_VERSION;
}
