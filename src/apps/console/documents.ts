import type {
  ConsoleAccount,
  ConsoleApp,
  ConsoleAuditEntry,
  ConsoleFactorAsked,
  ConsoleFactors,
  ConsoleKey,
  ConsoleOpenSession,
} from '../../contract/console.ts';
import type { Account, ApiKey } from '../../core/caller/caller.ts';
import { evidenceRightFlags } from '../../core/collection/source-limits.ts';
import type { AuditEntry, StoredAccount } from '../../service/accounts/account-store.ts';
import type { StoredFactor } from '../../service/accounts/second-factor-store.ts';
import { isoTime } from '../../service/iso-time.ts';
import type { AuthorisedApp } from '../../service/sign-in/oauth-store.ts';
import type { FactorAsked, FactorsStatus } from '../../service/sign-in/second-factors.ts';
import type { SessionRow } from '../../service/sign-in/session.ts';

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

export const appDocument = (app: AuthorisedApp): ConsoleApp => ({
  client_id: app.clientId,
  name: app.name,
  redirect_hosts: app.redirectHosts,
  connected_at: isoTime(app.firstAuthorisedAt),
  ...(app.lastUsedAt === undefined ? {} : { last_used_at: isoTime(app.lastUsedAt) }),
});

export const auditDocument = ({ at, actor, action, subject, detail }: AuditEntry): ConsoleAuditEntry => ({
  at: isoTime(at),
  actor,
  action,
  subject,
  detail,
});

/** The owner's view of the second factors: names and times, but no secret. */
export function factorsDocument(
  { totp, passkeys, recoveryCodesLeft, passkeysWork }: FactorsStatus,
  { requireFactor }: Pick<StoredAccount, 'requireFactor'>,
): ConsoleFactors {
  return {
    ...(totp === undefined ? {} : { totp: factorDocument(totp) }),
    passkeys: passkeys.map(factorDocument),
    recovery_codes_left: recoveryCodesLeft,
    passkeys_work: passkeysWork,
    required: requireFactor === true,
  };
}

const factorDocument = ({ id, name, createdAt, lastUsedAt }: StoredFactor): ConsoleFactors['passkeys'][number] => ({
  id,
  name,
  created_at: isoTime(createdAt),
  ...(lastUsedAt === undefined ? {} : { last_used_at: isoTime(lastUsedAt) }),
});

export const keyDocument = (key: ApiKey, usedToday: number): ConsoleKey => ({
  id: key.id,
  name: key.name,
  prefix: key.prefix,
  phone: key.phone,
  send_only: key.sends !== undefined,
  ...key.sends,
  ...evidenceRightFlags(key),
  ...(key.bouncer && {
    bouncer: { min_score: key.bouncer.minScore, max: key.bouncer.max, single_addresses: key.bouncer.single },
  }),
  created_at: isoTime(key.createdAt),
  used_today: usedToday,
  ...(key.perDay === undefined ? {} : { per_day: key.perDay }),
  ...(key.expiresAt === undefined ? {} : { expires_at: isoTime(key.expiresAt) }),
  ...(key.revokedAt === undefined ? {} : { revoked_at: isoTime(key.revokedAt) }),
  ...(key.lastUsedAt === undefined ? {} : { last_used_at: isoTime(key.lastUsedAt) }),
});

export const sessionDocument = (
  { id, createdAt, seenAt, country, agent }: SessionRow,
  isCurrent: boolean,
): ConsoleOpenSession => ({
  id,
  current: isCurrent,
  opened_at: isoTime(createdAt),
  seen_at: isoTime(seenAt),
  ...(country === undefined ? {} : { country }),
  ...(agent === '' ? {} : { agent }),
});

export const factorAskedDocument = ({ step, expiresAt, totp, passkey }: FactorAsked): ConsoleFactorAsked => ({
  step,
  expires_at: isoTime(expiresAt),
  totp,
  ...(passkey === undefined ? {} : { passkey }),
});
