import type { AccountStore, AuditEntry } from './account-store.ts';

/** Rows that are read at once. */
const ROWS_MAX = 200;

export interface AuditFollowerOptions {
  /** Name of the follower's cursor in the store. */
  readonly name: string;
  /** Row that a new follower begins with: the oldest that is kept, or the next one. */
  readonly begins: 'oldest' | 'next';
  /** `before`: rows are taken at most once, by one node. `after`: at least once, where the take may fail. */
  readonly moves: 'before' | 'after';
  readonly take: (rows: readonly AuditEntry[]) => Promise<void>;
}

/** Hands the rows since the last call to `take`, in their order. @throws what `take` throws, and then the same rows come again where the cursor moves after them */
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
