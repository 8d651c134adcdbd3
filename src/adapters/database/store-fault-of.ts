import type { StoreFault } from '../../service/store-fault.ts';
import { StoreUnavailable } from '../../service/store-unavailable.ts';
import { postgresFault } from './open-postgres-check.ts';
import { sqliteCode } from './sqlite-faults.ts';

/** Primary result codes of SQLite (https://www.sqlite.org/rescode.html). */
const OF_SQLITE: Readonly<Record<number, StoreFault>> = {
  5: 'no_answer',
  6: 'no_answer',
  8: 'read_only',
  10: 'disk',
  13: 'disk',
  14: 'disk',
};

/** The cause of a fault that a store of records or evidence threw. */
export function storeFaultOf(error: unknown): StoreFault {
  if (error instanceof StoreUnavailable) return storeFaultOf(error.cause);
  return OF_SQLITE[sqliteCode(error)] ?? postgresFault(error).kind;
}
