import { printable } from '../../core/texts/printable.ts';
import type { AuditEntry } from '../../service/accounts/account-store.ts';

/** The line has no characters that act on a terminal. */
export const auditLine = ({ seq, at, actor, action, subject, detail }: AuditEntry): string =>
  printable(JSON.stringify({ seq, at: new Date(at).toISOString(), actor, action, subject, detail }));
