import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { asBackupTable, type BackupTable, type TableColumns } from '../../core/backup/backup-manifest.ts';
import { fault } from '../../core/texts/said.ts';
import { CopyIn, CopyOut } from '../database/copy.ts';
import { migratePostgres } from '../database/migrate.ts';
import { RECORDS, RECORDS_PLACE } from '../database/migrations/index.ts';
import { withBulkClient } from '../database/open-database.ts';
import { EVIDENCE_TABLES, WRITER_LOCK } from '../history/postgres/schema.ts';
import { DIRECTORY, isLibraryTable, PHONE_TABLES } from '../phone-db/phone-database.ts';
import { createLibraryTable } from '../phone-db/postgres-phone-database.ts';
import { writeFrom } from './folder-files.ts';
import { isMigrations, schemaOf } from './sqlite-tables.ts';

const TABLES = `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
  group by c.relname order by c.relname`;

export interface TablesMoment {
  readonly atMs: number;
  readonly tables: readonly BackupTable[];
  readonly bytes: number;
  copy(table: BackupTable, to: string): ReturnType<typeof writeFrom>;
}

export function withTablesMoment<T>(databaseUrl: string, work: (moment: TablesMoment) => Promise<T>): Promise<T> {
  return withBulkClient(databaseUrl, async (client) => {
    await client.query('begin isolation level repeatable read read only; set local statement_timeout = 0');
    const { rows } = await client.query<TableColumns>(TABLES);
    const atMs = Date.now();
    const { rows: sizes } = await client.query<{ bytes: number }>(
      'select pg_database_size(current_database()) as bytes',
    );
    return work({
      atMs,
      tables: rows.map(asBackupTable),
      bytes: sizes[0]!.bytes,
      copy: (table, to) =>
        writeFrom(client.query(new CopyOut(`copy (select ${list(table)} from ${table.name}) to stdout`)), to),
    });
  });
}

const FILLED_WHEN_MADE: ReadonlySet<string> = new Set([
  'change_counter',
  'collection_counter',
  'evidence_identity',
  'evidence_migrations',
  'evidence_schema',
  'kysely_migration',
  'phone_migrations',
  'plans',
  'store_identity',
]);

/**
 * Checks that the database is unused, or was filled by a restore that was cut short behind it.
 * @param storeId id of the accounts of that restore; undefined if none has begun
 * @throws Fault when it holds something else, or a service uses it
 */
export function requireUnusedDatabase(
  databaseUrl: string,
  storeId: string | undefined,
): Promise<'unused' | 'restored'> {
  return withBulkClient(databaseUrl, async (client) => {
    const { rows: users } = await client.query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'pulse' and pid <> pg_backend_pid()`,
    );
    if (users.length > 0) throw fault('a service uses the database of PULSE_DATABASE_URL; stop every node first');
    const { rows: tables } = await client.query<TableColumns>(TABLES);
    const used: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ used: boolean }>(`select exists (select 1 from "${name}") as used`);
      if (rows[0]!.used) used.push(name);
    }
    if (used.every((name) => FILLED_WHEN_MADE.has(name))) return 'unused';
    if (storeId !== undefined && used.includes('store_identity')) {
      const { rows } = await client.query<{ id: string }>('select store_id as id from store_identity');
      if (rows[0]?.id === storeId) return 'restored';
    }
    throw fault('the database of PULSE_DATABASE_URL holds data; restore into an empty one');
  });
}

/** Makes and fills the tables of the backup in `dir`, in one transaction; the next start migrates them. */
export async function fillTables(
  databaseUrl: string,
  dir: string,
  tables: readonly BackupTable[],
  onTable: (table: BackupTable) => void,
): Promise<void> {
  await withBulkClient(databaseUrl, async (client) => {
    for (const schema of [RECORDS.postgres, EVIDENCE_TABLES, PHONE_TABLES])
      if (schema !== PHONE_TABLES || tables.some(({ name }) => name === DIRECTORY))
        await migratePostgres(client, schemaOf(schema, dir, tables), RECORDS_PLACE, WRITER_LOCK);
    await client.query('begin; set local statement_timeout = 0');
    for (const { name } of tables) if (isLibraryTable(name)) await createLibraryTable(client, name);
    const filled = tables.filter((table) => !isMigrations(table));
    await client.query(`truncate ${filled.map(({ name }) => name).join()}`);
    for (const table of await parentsFirst(client, filled)) {
      onTable(table);
      const copy = new CopyIn(`copy ${table.name} (${list(table)}) from stdin`);
      await pipeline(createReadStream(join(dir, table.file)), client.query(copy));
    }
    await continueSequences(client);
    await client.query('commit; analyze');
  });
}

const list = ({ columns }: TableColumns): string => columns.map((name) => `"${name}"`).join();

async function parentsFirst(client: PoolClient, tables: readonly BackupTable[]): Promise<readonly BackupTable[]> {
  const { rows } = await client.query<{ child: string; parent: string }>(
    `select conrelid::regclass::text as child, confrelid::regclass::text as parent from pg_constraint
     where contype = 'f' and conrelid <> confrelid`,
  );
  const ordered: BackupTable[] = [];
  const isPlaced = (name: string): boolean => ordered.some((one) => one.name === name);
  for (let left = tables; left.length > 0; left = left.filter(({ name }) => !isPlaced(name))) {
    const ready = left.filter(({ name }) => rows.every(({ child, parent }) => child !== name || isPlaced(parent)));
    if (ready.length === 0) throw new Error(`tables that refer to each other: ${left.map(({ name }) => name).join()}`);
    ordered.push(...ready);
  }
  return ordered;
}

async function continueSequences(client: PoolClient): Promise<void> {
  const { rows } = await client.query<{ name: string; column: string; sequence: string }>(
    `select c.relname as name, a.attname as column, pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and pg_get_serial_sequence(quote_ident(c.relname), a.attname) is not null`,
  );
  for (const { name, column, sequence } of rows)
    await client.query(
      `select setval('${sequence}', coalesce(max("${column}"), 1), max("${column}") is not null) from ${name}`,
    );
}
