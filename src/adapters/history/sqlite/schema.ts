import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault, said } from '../../../core/texts/said.ts';
import { beforeBaseline, checkSqlite, migrateSqlite, otherRelease, type Schema } from '../../database/migrate.ts';
import { sqliteCode } from '../../database/store-faults.ts';
import { EVIDENCE_MIGRATIONS, SQLITE_TABLES, TABLES_VERSION } from '../tables.ts';

const BASELINE = SQLITE_TABLES.map((statement) => statement.replaceAll('evidence_', ''));

export const EVIDENCE_FILE: Schema = {
  table: EVIDENCE_MIGRATIONS.replace('evidence_', ''),
  migrations: { '0001-evidence': [...BASELINE, `pragma user_version = ${TABLES_VERSION}`] },
  inSqlite: { '0001-evidence': BASELINE },
};

/**
 * Opens the evidence database and creates it on first use. Several processes may open it: one writes at a
 * time, readers never wait. `user_version` is 0 in a file without tables.
 * @throws when another release or another program made the file
 */
export function openEvidenceDatabase(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  try {
    const database = new DatabaseSync(path, { timeout: 30_000 });
    try {
      checkEvidenceFile(database, path);
    } catch (error) {
      database.close();
      throw error;
    }
    database.exec(
      'pragma journal_mode = wal; pragma synchronous = normal; pragma cache_size = -65536; pragma mmap_size = 1073741824',
    );
    migrateSqlite(database, EVIDENCE_FILE, path);
    return database;
  } catch (error) {
    // A lock or a full disk passes by itself; the other faults stay until an operator acts.
    if (![CANTOPEN, CORRUPT, NOTADB].includes(sqliteCode(error))) throw error;
    throw unusable(path, (error as Error).message, { cause: error });
  }
}

const unusable = (path: string, why: string, options?: ErrorOptions): Error =>
  new Fault(
    said(
      '{path} cannot be used as the evidence database ({why}): restore it from a backup, or move it away, and new evidence is taken',
      { path, why },
    ),
    options,
  );

export function checkEvidenceFile(database: DatabaseSync, path: string): void {
  const { version, held } = database
    .prepare('select user_version as version, exists (select 1 from sqlite_master) as held from pragma_user_version')
    .get()!;
  if (version === 0 && held === 1) throw unusable(path, 'it belongs to another program');
  if (Number(version) > TABLES_VERSION) throw otherRelease(path, String(version));
  if (version !== 0 && version !== TABLES_VERSION) throw beforeBaseline(path);
  checkSqlite(database, EVIDENCE_FILE, path);
}

const [CORRUPT, CANTOPEN, NOTADB] = [11, 14, 26];
