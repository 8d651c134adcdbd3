import { StoreUnavailable } from '../../service/store-unavailable.ts';

// biome-ignore format: a table; https://www.sqlite.org/rescode.html
/** Primary result codes of a file that cannot be read or written now, with nothing wrong in the statement. */
const UNAVAILABLE: ReadonlySet<number> = new Set([
  5,  // SQLITE_BUSY: another connection holds the write lock
  6,  // SQLITE_LOCKED
  8,  // SQLITE_READONLY
  10, // SQLITE_IOERR
  13, // SQLITE_FULL
  14, // SQLITE_CANTOPEN: also the log of a full disk
]);

/** SQLite's fault as ours: StoreUnavailable for a file that cannot be read or written now, or the fault as it is. */
export const sqliteFault = (error: unknown): unknown =>
  UNAVAILABLE.has(sqliteCode(error)) ? new StoreUnavailable(error) : error;

/** Primary result code, without the extension above its low byte; 0 for anything that is not SQLite's. */
export const sqliteCode = (error: unknown): number =>
  typeof error === 'object' && error !== null && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
