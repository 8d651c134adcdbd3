import type { AuditEntry } from '../../service/accounts/account-store.ts';
import { auditLine } from './audit-line.ts';

/** Facility 13 (log audit) with the severities 6 (informational) and 4 (warning) of RFC 5424, 6.2.1. */
const INFORMATION = 13 * 8 + 6;
const WARNING = 13 * 8 + 4;
const REFUSALS = /\.(?:refuse|lock)$/;

/** A row as a syslog message (RFC 5424); its text is the JSON of `auditLine`. */
export function syslogLine(row: AuditEntry, from: { readonly host: string; readonly process: number }): string {
  const priority = REFUSALS.test(row.action) ? WARNING : INFORMATION;
  const time = new Date(row.at).toISOString();
  return `<${priority}>1 ${time} ${headerText(from.host, 255)} pulse ${from.process} ${headerText(row.action, 32)} - ${auditLine(row)}`;
}

/** Printable ASCII without blanks; `-` where there is none. */
const headerText = (text: string, lengthMax: number): string => text.replace(/[^!-~]/g, '').slice(0, lengthMax) || '-';
