import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Fault } from '../../../core/texts/fault.ts';
import { said } from '../../../core/texts/said.ts';
import { sqliteCode } from '../../database/sqlite-faults.ts';
import { TABLES_VERSION, tables } from '../tables.ts';
import { otherReleaseError } from '../upkeep/other-release-error.ts';

/**
 * `prefix` is the key of prefix-key.ts: an integer for IPv4, 17 bytes for IPv6. Its tables are not strict, so
 * that one column holds both and integers take as few bytes as they need.
 */
const SCHEMA = tables({
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
})
  .join(';')
  .replaceAll('evidence_', '');

/**
 * Opens the evidence database and creates it on first use. Several processes may open it: one writes at a
 * time, readers never wait. `user_version` is the version of the tables; 0 means a file without tables.
 * @throws when another release or another program made the file
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

function requireOurs(database: DatabaseSync, path: string): void {
  const { version, held } = database
    .prepare('select user_version as version, exists (select 1 from sqlite_master) as held from pragma_user_version')
    .get()!;
  if (version === TABLES_VERSION || (version === 0 && held === 0)) return;
  database.close();
  throw version === 0 ? unusable(path, 'it belongs to another program') : otherReleaseError(path);
}

/** Result codes: https://www.sqlite.org/rescode.html */
const [CORRUPT, CANTOPEN, NOTADB] = [11, 14, 26];

/**
 * Creates the tables. Several processes may do so at once, so the version is checked again under the write
 * lock.
 */
function makeTables(database: DatabaseSync): void {
  const made = (): boolean => database.prepare('pragma user_version').get()!.user_version === TABLES_VERSION;
  if (made()) return;
  try {
    database.exec('begin immediate');
    database.exec(made() ? 'commit' : `${SCHEMA}; pragma user_version = ${TABLES_VERSION}; commit`);
  } catch (error) {
    database.close();
    throw error;
  }
}
