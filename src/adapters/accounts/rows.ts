import type { Selectable } from 'kysely';
import { type AccountRecord, type ApiKey, effectiveAccount, type Plan } from '../../core/caller/caller.ts';
import type { EvidenceRight, SendLimits } from '../../core/collection/source-limits.ts';
import type { BouncerBounds } from '../../core/lists/bouncer-bounds.ts';
import type { AllowEntry } from '../../core/policy/allow-list.ts';
import type { Policy } from '../../core/policy/policy.ts';
import { readPolicy } from '../../core/policy/read-policy.ts';
import { type UnixMs, unixMs } from '../../core/units.ts';
import type { StoredAccount } from '../../service/accounts/account-store.ts';
import type { Flag } from '../database/sql-store.ts';
import type { AccountRow, ApiKeyRow, PlanRow } from '../database/tables.ts';

export const flag = (value: boolean): Flag => (value ? 1 : 0);

export function planOf(row: Selectable<PlanRow>): Plan {
  return {
    name: row.name,
    perMin: row.per_min,
    perDay: row.per_day,
    overagePct: row.overage_pct,
    dataTier: row.data_tier,
    phoneEligible: row.phone_eligible === 1,
    phonePerMin: row.phone_per_min,
    phonePerDay: row.phone_per_day,
  };
}

export function planRow(plan: Plan): PlanRow {
  return {
    name: plan.name,
    per_min: plan.perMin,
    per_day: plan.perDay,
    overage_pct: plan.overagePct,
    data_tier: plan.dataTier,
    phone_eligible: flag(plan.phoneEligible),
    phone_per_min: plan.phonePerMin,
    phone_per_day: plan.phonePerDay,
  };
}

export const ACCOUNT_COLUMNS = [
  'id',
  'email',
  'plan',
  'per_min',
  'per_day',
  'overage_pct',
  'phone_per_min',
  'phone_per_day',
  'history_days',
  'dpa',
  'phone',
  'operator',
  'disabled',
  'verified_at',
  'require_factor',
  'created_at',
  'allow_list',
] as const satisfies readonly (keyof AccountRow)[];
export type AccountColumns = Pick<AccountRow, (typeof ACCOUNT_COLUMNS)[number]>;

export function accountOf(row: AccountColumns, plan: Plan): StoredAccount {
  const record: AccountRecord = {
    id: row.id,
    email: row.email,
    plan: row.plan,
    overrides: {
      ...optional('perMin', row.per_min),
      ...optional('perDay', row.per_day),
      ...optional('overagePct', row.overage_pct),
      ...optional('phonePerMin', row.phone_per_min),
      ...optional('phonePerDay', row.phone_per_day),
    },
    dpa: row.dpa === 1,
    phone: row.phone === 1,
    ...optional('historyDays', row.history_days),
    operator: row.operator === 1,
    disabled: row.disabled === 1,
    ...optional('verifiedAt', row.verified_at as UnixMs | null),
    requireFactor: row.require_factor === 1,
    createdAt: unixMs(row.created_at),
    ...(row.allow_list !== null && { allowList: JSON.parse(row.allow_list) as readonly AllowEntry[] }),
  };
  return { ...effectiveAccount(record, plan), overrides: record.overrides, phone: record.phone };
}

export const KEY_COLUMNS = [
  'id',
  'account_id',
  'name',
  'prefix',
  'per_day',
  'expires_at',
  'revoked_at',
  'phone',
  'sends',
  'evidence',
  'policy',
  'bouncer',
  'created_at',
  'last_used_at',
] as const satisfies readonly (keyof ApiKeyRow)[];
export type KeyColumns = Pick<ApiKeyRow, (typeof KEY_COLUMNS)[number]>;

export function keyOf(row: KeyColumns): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    prefix: row.prefix,
    ...optional('perDay', row.per_day),
    ...optional('expiresAt', row.expires_at as UnixMs | null),
    ...optional('revokedAt', row.revoked_at as UnixMs | null),
    phone: row.phone === 1,
    ...(row.sends === null ? {} : { sends: JSON.parse(row.sends) as SendLimits }),
    ...optional('evidence', row.evidence as EvidenceRight | null),
    ...(row.policy !== null && { policy: storedPolicy(row.policy) }),
    ...(row.bouncer !== null && { bouncer: JSON.parse(row.bouncer) as BouncerBounds }),
    createdAt: unixMs(row.created_at),
    ...optional('lastUsedAt', row.last_used_at as UnixMs | null),
  };
}

/** A policy was read before it was stored, so a fault here is one of the store. */
function storedPolicy(text: string): Policy {
  const policy = readPolicy(JSON.parse(text));
  if (typeof policy === 'string') throw new Error(`the policy of a key cannot be read: ${policy}`);
  return policy;
}

function optional<Name extends string, Value>(name: Name, value: Value | null): { [key in Name]?: Value } {
  return value === null ? {} : ({ [name]: value } as { [key in Name]?: Value });
}
