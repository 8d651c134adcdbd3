import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { Found } from '../../core/data-folder/check-folder.ts';

/** Up to this size a file is read through at a start; above it only what SQLite reads to answer is checked. */
const FULL_CHECK_BYTES = 64 * 1024 * 1024;

/**
 * Whether a SQLite file is there and whole, and which one it is. Changes nothing in it.
 * @param identity asks for the one text that identifies it; run only when its table is there
 */
export function sqliteState(path: string, identity: { readonly table: string; readonly query: string }): Found {
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return { state: 'absent' };
  // Not opened: SQLite would drop the log next to an empty file, which may be all that is left.
  if (size === 0) return { state: 'empty' };
  try {
    const database = new DatabaseSync(path, { timeout: 5000 });
    try {
      return stateOf(database, size, identity);
    } finally {
      database.close();
    }
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { state: 'damaged', how: `is damaged (${error.message})` };
  }
}

function stateOf(
  database: DatabaseSync,
  size: number,
  identity: { readonly table: string; readonly query: string },
): Found {
  if (database.prepare('select 1 from sqlite_master limit 1').get() === undefined) return { state: 'empty' };
  if (size <= FULL_CHECK_BYTES) {
    const { quick_check: fault } = database.prepare('pragma quick_check(1)').get() as { quick_check: string };
    if (fault !== 'ok') return { state: 'damaged', how: `is damaged (${fault.replace(/\s+/g, ' ')})` };
  }
  if (
    database.prepare("select 1 from sqlite_master where type = 'table' and name = ?").get(identity.table) === undefined
  )
    return { state: 'there', id: undefined };
  const row = database.prepare(identity.query).get();
  const [id] = Object.values(row ?? {});
  return { state: 'there', id: typeof id === 'string' ? id : undefined };
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, with their extended codes. A lock or a lack of rights is another matter. */
const isDamage = (error: unknown): error is Error & { readonly errcode: number } =>
  error instanceof Error && 'errcode' in error && [11, 26].includes(Number(error.errcode) & 0xff);
