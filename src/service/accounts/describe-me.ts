import type { Me } from '../../contract/documents.ts';
import type { Account, ApiKey } from '../../core/caller/caller.ts';
import type { DayUsage, WindowState } from '../../core/quota/quota.ts';
import { isoTime } from '../iso-time.ts';

/**
 * - `key`: undefined for a holder who signed in on the site without a key.
 * - `phoneUsed`: undefined when the caller lacks the capability.
 */
export interface MeInput {
  readonly account: Account;
  readonly key: ApiKey | undefined;
  readonly used: DayUsage;
  readonly keyUsed: DayUsage | undefined;
  readonly phoneUsed: DayUsage | undefined;
  readonly quotaTz: string;
  readonly salesContact?: string;
}

/** `used_today` counts the whole account; `remaining` respects the key's own cap, as X-Daily-Remaining does. */
export function describeMe(input: MeInput): Me {
  const { account, key, used, phoneUsed } = input;
  return {
    tier: key === undefined ? 'user' : 'key',
    quota_scope: 'account',
    plan: account.plan,
    per_min: account.perMin,
    per_day: account.perDay,
    overage_pct: account.overagePct,
    quota_day_tz: input.quotaTz,
    used_today: used.used,
    remaining: dayLimitOf(input).remaining,
    over_today: Math.max(0, used.used - account.perDay),
    reset_unix: Math.floor(used.resetsAt / 1000),
    ...(key === undefined ? {} : { key_prefix: key.prefix, created_at: isoTime(key.createdAt) }),
    ...(key?.perDay === undefined ? {} : { key_per_day: key.perDay }),
    capabilities: phoneUsed === undefined ? {} : { phone: phoneCapability(account, phoneUsed) },
    ...(input.salesContact === undefined ? {} : { sales_contact: input.salesContact }),
  };
}

export function dayLimitOf({
  account,
  key,
  used,
  keyUsed,
}: Pick<MeInput, 'account' | 'key' | 'used' | 'keyUsed'>): WindowState {
  const ofAccount = {
    limit: account.perDay,
    remaining: Math.max(0, account.perDay - used.used),
    resetsAt: used.resetsAt,
  };
  if (key?.perDay === undefined || keyUsed === undefined) return ofAccount;
  const ofKey = { limit: key.perDay, remaining: Math.max(0, key.perDay - keyUsed.used), resetsAt: used.resetsAt };
  const keyBinds =
    ofKey.remaining < ofAccount.remaining || (ofKey.remaining === ofAccount.remaining && ofKey.limit < ofAccount.limit);
  return keyBinds ? ofKey : ofAccount;
}

const phoneCapability = (account: Account, used: DayUsage) => ({
  used_today: used.used,
  refunded_today: used.refunded,
  remaining: Math.max(0, account.phonePerDay - used.used),
});
