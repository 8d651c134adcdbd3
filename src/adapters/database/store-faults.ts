import { type StoreFault, StoreUnavailable } from '../../service/store-fault.ts';
import { postgresFault } from './open-postgres-check.ts';

// Primary result codes for a file that cannot be read or written now: BUSY, LOCKED, READONLY, IOERR, FULL, and
// CANTOPEN, which a full disk gives for a log too (https://www.sqlite.org/rescode.html).
const UNAVAILABLE: ReadonlySet<number> = new Set([5, 6, 8, 10, 13, 14]);

/**
 * Turns SQLite's error into StoreUnavailable if the file cannot be read or written now; returns other errors
 * as they are.
 */
export const sqliteFault = (error: unknown): unknown =>
  UNAVAILABLE.has(sqliteCode(error)) ? new StoreUnavailable(error) : error;

/** Takes the low byte of the extended code; 0 for errors that are not SQLite's. */
export const sqliteCode = (error: unknown): number =>
  typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) & 0xff : 0;

const OF_SQLITE: Readonly<Record<number, StoreFault>> = {
  5: 'no_answer',
  6: 'no_answer',
  8: 'read_only',
  10: 'disk',
  13: 'disk',
  14: 'disk',
};

export function storeFaultOf(error: unknown): StoreFault {
  if (error instanceof StoreUnavailable) return storeFaultOf(error.cause);
  return OF_SQLITE[sqliteCode(error)] ?? postgresFault(error).kind;
}

const NETWORK = /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE)/;

/**
 * SQLSTATE classes and codes (PostgreSQL, appendix A) of a server that cannot take the question now. 08
 * connection, 25006 read-only, 28 authorisation, 3D no such database, 3F no such schema, 42501 permission,
 * 42P01 no such table (a schema that was emptied or is being restored), 53 out of space, memory or
 * connections, 57 stopped by an operator, a shutdown or statement_timeout, 58 disk.
 */
const SERVER = /^(08|25006|28|3D|3F|42501|42P01|53|57|58)/;

const DRIVER =
  /^(Connection terminated|Client (has encountered|was closed)|timeout exceeded when trying to connect|Query read timeout|Cannot use a pool)/;

/**
 * Returns whether PostgreSQL could not be asked or could not take the question now. False if the question
 * itself is wrong.
 */
export function isPostgresUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return code === '' ? DRIVER.test(error.message) : NETWORK.test(code) || (code.length === 5 && SERVER.test(code));
}
