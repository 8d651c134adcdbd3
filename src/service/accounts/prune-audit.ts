import { setTimeout } from 'node:timers/promises';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { AccountStore } from './account-store.ts';

export const AUDIT_DAYS = 400;

const SLICE = 1000;
const PAUSE_MS = 20;

/**
 * Deletes audit rows past retention in slices, so that no other writer waits long.
 * @returns the number of deleted rows
 */
export async function pruneAudit(store: Pick<AccountStore, 'pruneAudit'>, now: UnixMs, slice = SLICE): Promise<number> {
  const before = unixMs(now - AUDIT_DAYS * DAY_MS);
  let dropped = 0;
  for (;;) {
    const gone = await store.pruneAudit(before, slice);
    dropped += gone;
    if (gone < slice) return dropped;
    await setTimeout(PAUSE_MS);
  }
}
