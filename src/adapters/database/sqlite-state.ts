import { accessSync, constants, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Found } from '../../core/data-folder/check-folder.ts';
import { said } from '../../core/texts/said.ts';

/**
 * A file of at most this size is checked whole at a start. In larger files only the pages that SQLite reads
 * for its answers are checked.
 */
const READ_THROUGH_BYTES = 64 * 1024 * 1024;

export interface Identity {
  readonly table: string;
  readonly query: string;
  readonly isOurs: (database: DatabaseSync, path: string) => boolean;
}

/**
 * Reports whether a SQLite file exists and is sound, and its id. Changes nothing in the file. @param
 * readThrough largest file to check whole, in bytes; 0 if that was just done
 */
export function sqliteState(path: string, identity: Identity, readThrough = READ_THROUGH_BYTES): Found {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return { state: 'absent' };
  if (!stats.isFile()) return { state: 'damaged', how: said('is not a file') };
  accessSync(path, constants.R_OK | constants.W_OK);
  const { size } = stats;
  // An empty file is not opened: SQLite would delete the log next to it, which may be all that is left.
  if (size === 0) return { state: 'empty' };
  try {
    const database = new DatabaseSync(path, { timeout: 5000 });
    try {
      return stateOf(database, path, size <= readThrough, identity);
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { state: 'damaged', how: said('is damaged ({why})', { why: error.message }) };
  }
}

function stateOf(database: DatabaseSync, path: string, readThrough: boolean, identity: Identity): Found {
  if (database.prepare('select 1 from sqlite_master limit 1').get() === undefined) return { state: 'empty' };
  if (readThrough) {
    const { quick_check: fault } = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
    if (fault !== 'ok')
      return { state: 'damaged', how: said('is damaged ({why})', { why: fault.replace(/\s+/g, ' ') }) };
  }
  if (!identity.isOurs(database, path)) return { state: 'damaged', how: said('belongs to another program') };
  if (
    database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(identity.table) === undefined
  )
    return { state: 'there', id: undefined };
  const row = database.prepare(identity.query).get();
  const [id] = Object.values(row ?? {});
  return { state: 'there', id: typeof id === 'string' ? id : undefined };
}

/**
 * Matches SQLITE_CORRUPT and SQLITE_NOTADB with their extended codes. A lock or missing permissions are not
 * damage.
 */
const isDamage = (error: unknown): error is Error & { readonly errcode: number } =>
  error instanceof Error && 'errcode' in error && [11, 26].includes(Number(error.errcode) & 0xff);
