import type { ClientBase } from 'pg';
import { migratePostgres, type Schema } from '../../database/migrate.ts';
import { EVIDENCE_MIGRATIONS, SQLITE_TABLES, TABLES_VERSION, tables } from '../tables.ts';
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

const BASELINE: readonly string[] = [
  'create table evidence_schema (version integer not null)',
  `insert into evidence_schema (version) values (${TABLES_VERSION})`,
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
  ...READING_FUNCTIONS,
];

export const EVIDENCE_TABLES: Schema = {
  table: EVIDENCE_MIGRATIONS,
  migrations: { '0001-evidence': BASELINE },
  inSqlite: { '0001-evidence': SQLITE_TABLES },
};

export const EVIDENCE_PLACE = 'the evidence in PULSE_DATABASE_URL';

/** Each writer of evidence holds this advisory lock for one transaction. */
export const WRITER_LOCK = 7_301_001;

export const migrateEvidence = (client: ClientBase): Promise<void> =>
  migratePostgres(client, EVIDENCE_TABLES, EVIDENCE_PLACE, WRITER_LOCK);
