import { setTimeout } from 'node:timers/promises';
import { DAY_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { AccountStore, AuditEntry } from './account-store.ts';

const ROWS_MAX = 200;

interface AuditFollowerOptions {
  readonly name: string;
  readonly begins: 'oldest' | 'next';
  /**
   * With `before`, one node receives each row at most once. With `after`, rows come at least once, and again
   * if `take` fails.
   */
  readonly moves: 'before' | 'after';
  readonly take: (rows: readonly AuditEntry[]) => Promise<void>;
}

export async function followAudit(
  store: Pick<AccountStore, 'audit' | 'auditAfter' | 'auditCursor' | 'moveAuditCursor'>,
  { name, begins, moves, take }: AuditFollowerOptions,
): Promise<void> {
  const from = await store.auditCursor(name);
  if (from === undefined) {
    const [newest] = begins === 'next' ? await store.audit({ limit: 1 }) : [];
    await store.moveAuditCursor(name, undefined, newest?.seq ?? 0);
    return;
  }
  const rows = await store.auditAfter(from, ROWS_MAX);
  const last = rows.at(-1);
  if (last === undefined) return;
  if (moves === 'before' && !(await store.moveAuditCursor(name, from, last.seq))) return;
  await take(rows);
  if (moves === 'after') await store.moveAuditCursor(name, from, last.seq);
}

export const AUDIT_DAYS = 400;

const SLICE = 1000;
const PAUSE_MS = 20;

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
