import { StoreUnavailable } from '../../service/store-unavailable.ts';

// biome-ignore format: a table; https://www.sqlite.org/rescode.html
/** Primary result codes for a file that cannot be read or written now; the statement is correct. */
const UNAVAILABLE: ReadonlySet<number> = new Set([
  5,  // SQLITE_BUSY: another connection holds the write lock
  6,  // SQLITE_LOCKED
  8,  // SQLITE_READONLY
  10, // SQLITE_IOERR
  13, // SQLITE_FULL
  14, // SQLITE_CANTOPEN: also the log of a full disk
]);

/**
 * Turns SQLite's error into StoreUnavailable if the file cannot be read or written now; returns other errors
 * as they are.
 */
export const sqliteFault = (error: unknown): unknown =>
  UNAVAILABLE.has(sqliteCode(error)) ? new StoreUnavailable(error) : error;

/** Takes the low byte of the extended code; 0 for errors that are not SQLite's. */
export const sqliteCode = (error: unknown): number =>
  typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
