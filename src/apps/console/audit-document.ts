import type { ConsoleAuditEntry } from '../../contract/console.ts';
import type { AuditEntry } from '../../service/accounts/account-store.ts';
import { isoTime } from '../../service/iso-time.ts';

/** A row of the audit log as the site's pages see it. */
export const auditDocument = ({ at, actor, action, subject, detail }: AuditEntry): ConsoleAuditEntry => ({
  at: isoTime(at),
  actor,
  action,
  subject,
  detail,
});
