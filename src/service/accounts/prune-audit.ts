import { setTimeout } from 'node:timers/promises';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { AccountStore } from './account-store.ts';

/** How long the audit log is kept. */
export const AUDIT_DAYS = 400;

const SLICE = 1000;
const PAUSE_MS = 20;

/** Drops audit rows older than they are kept, in slices, so that no writer waits long for the database. Returns how many. */
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
