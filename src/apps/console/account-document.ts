import type { ConsoleAccount } from '../../contract/console.ts';
import type { Account } from '../../core/caller/caller.ts';
import { isoTime } from '../../service/iso-time.ts';

export const accountDocument = (account: Account): ConsoleAccount => ({
  id: account.id,
  email: account.email,
  plan: account.plan,
  data_tier: account.dataTier,
  dpa: account.dpa,
  phone: account.phoneEnabled,
  operator: account.operator,
  verified: account.verifiedAt !== undefined,
  disabled: account.disabled,
  created_at: isoTime(account.createdAt),
});
