import type { ConsoleAuditEntry } from '../../contract/console.ts';
import type { AuditEntry } from '../../service/accounts/account-store.ts';
import { isoTime } from '../../service/iso-time.ts';

export const auditDocument = ({ at, actor, action, subject, detail }: AuditEntry): ConsoleAuditEntry => ({
  at: isoTime(at),
  actor,
  action,
  subject,
  detail,
});
