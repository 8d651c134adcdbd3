import type { AccountStore, AuditEntry } from './account-store.ts';

const ROWS_MAX = 200;

export interface AuditFollowerOptions {
  readonly name: string;
  readonly begins: 'oldest' | 'next';
  /**
   * With `before`, one node receives each row at most once. With `after`, rows come at least once, and again
   * if `take` fails.
   */
  readonly moves: 'before' | 'after';
  readonly take: (rows: readonly AuditEntry[]) => Promise<void>;
}

/** Passes the rows since the last call to `take`, in order. @throws what `take` throws */
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
