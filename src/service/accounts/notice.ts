import { HOUR_MS, type UnixMs } from '../../core/units.ts';
import type { AccountStore, AuditEntry } from './account-store.ts';

export type NoticeKind =
  | 'password'
  | 'key'
  | 'factor_added'
  | 'factor_removed'
  | 'recovery_used'
  | 'app'
  | 'company'
  | 'country'
  | 'locked';

export interface Notice {
  readonly kind: NoticeKind;
  readonly at: UnixMs;
  /** A key, an app or the code of a country has this name. It is untrusted text and may be empty. */
  readonly name: string;
}

/**
 * Sends notices in both languages: often the holder did not cause them, so the language of the request says
 * nothing.
 */
export interface NoticeMail {
  notice(to: string, notice: Notice): Promise<void>;
}

const KINDS: Readonly<Record<string, NoticeKind>> = {
  'account.password': 'password',
  'key.create': 'key',
  'factor.add': 'factor_added',
  'factor.remove': 'factor_removed',
  'factor.reset': 'factor_removed',
  'factor.recovery-used': 'recovery_used',
  'factor.lock': 'locked',
  'app.allow': 'app',
  'identity.link': 'company',
};

/** Older rows date from before mail could be sent, and are skipped. */
const NEWS_MS = HOUR_MS;

function noticeOf({ action, detail, at }: AuditEntry): Notice | undefined {
  const { name, country, new_country } = detail;
  if (action === 'session.open')
    return new_country === true ? { kind: 'country', at, name: String(country) } : undefined;
  // An account made for this person had no other holder to tell.
  if (action === 'identity.link' && detail['new_account'] === true) return undefined;
  const kind = KINDS[action];
  return kind === undefined ? undefined : { kind, at, name: typeof name === 'string' ? name : '' };
}

/** Mails holders about their rows. A mail that fails is reported and not sent again. */
export async function sendNotices(
  {
    accounts,
    mail,
    onFault,
  }: {
    readonly accounts: Pick<AccountStore, 'credentials'>;
    readonly mail: NoticeMail;
    readonly onFault: (error: unknown) => void;
  },
  rows: readonly AuditEntry[],
  now: UnixMs,
): Promise<void> {
  for (const row of rows) {
    const notice = noticeOf(row);
    if (notice === undefined || row.at < now - NEWS_MS) continue;
    const holder = await accounts.credentials({ id: row.subject });
    if (holder !== undefined) await mail.notice(holder.email, notice).catch(onFault);
  }
}
