import type { EvidenceRight, SendLimits } from '../collection/source-limits.ts';
import type { BouncerBounds } from '../lists/bouncer-bounds.ts';
import { type AllowEntry, allowedBy } from '../policy/allow-list.ts';
import type { Policy } from '../policy/policy.ts';
import type { OverrideTable } from '../risk/override.ts';
import type { UnixMs } from '../units.ts';

/** `professional` sees evidence, share tier, pools and history. */
type DataTier = 'basic' | 'professional';

export interface Plan {
  readonly name: string;
  readonly perMin: number;
  readonly perDay: number;
  readonly overagePct: number;
  readonly dataTier: DataTier;
  readonly phoneEligible: boolean;
  readonly phonePerMin: number;
  readonly phonePerDay: number;
}

/**
 * - `dpa`: a data-processing agreement is in force, so exact evidence times are shown.
 * - `verifiedAt`: a link proved the mail address then, or an operator vouched for it.
 */
export interface Account {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly perMin: number;
  readonly perDay: number;
  readonly overagePct: number;
  readonly dataTier: DataTier;
  readonly dpa: boolean;
  readonly phoneEligible: boolean;
  readonly phoneEnabled: boolean;
  readonly phonePerMin: number;
  readonly phonePerDay: number;
  readonly historyDays?: number;
  readonly operator: boolean;
  readonly disabled: boolean;
  readonly verifiedAt?: UnixMs;
  readonly requireFactor?: boolean;
  readonly allowed?: OverrideTable;
  readonly createdAt: UnixMs;
}

export interface ApiKey {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly prefix: string;
  readonly perDay?: number;
  readonly expiresAt?: UnixMs;
  readonly revokedAt?: UnixMs;
  readonly phone: boolean;
  readonly sends?: SendLimits;
  readonly evidence?: EvidenceRight;
  readonly policy?: Policy;
  readonly bouncer?: BouncerBounds;
  readonly createdAt: UnixMs;
  readonly lastUsedAt?: UnixMs;
}

/** `client` is the counted client address: an IPv4 address, or the /64 of an IPv6 address. */
export type Caller =
  | { readonly kind: 'anonymous'; readonly client: string }
  | { readonly kind: 'assistant'; readonly client: string; readonly assistantFamily: string }
  | { readonly kind: 'key'; readonly client: string; readonly account: Account; readonly key: ApiKey }
  | { readonly kind: 'user'; readonly client: string; readonly account: Account };

/** An absent limit follows the plan. */
export interface Overrides {
  readonly perMin?: number;
  readonly perDay?: number;
  readonly overagePct?: number;
  readonly phonePerMin?: number;
  readonly phonePerDay?: number;
}

export interface AccountRecord {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly overrides: Overrides;
  readonly dpa: boolean;
  readonly phone: boolean;
  readonly historyDays?: number;
  readonly operator: boolean;
  readonly disabled: boolean;
  readonly verifiedAt?: UnixMs;
  readonly requireFactor?: boolean;
  readonly allowList?: readonly AllowEntry[];
  readonly createdAt: UnixMs;
}

/**
 * Applies the overrides to the plan. Without an eligible plan the account lacks the phone capability,
 * whatever its switch says.
 */
export function effectiveAccount(record: AccountRecord, plan: Plan): Account {
  const { overrides } = record;
  return {
    id: record.id,
    email: record.email,
    plan: plan.name,
    perMin: overrides.perMin ?? plan.perMin,
    perDay: overrides.perDay ?? plan.perDay,
    overagePct: overrides.overagePct ?? plan.overagePct,
    dataTier: plan.dataTier,
    dpa: record.dpa,
    phoneEligible: plan.phoneEligible,
    phoneEnabled: plan.phoneEligible && record.phone,
    phonePerMin: plan.phoneEligible ? (overrides.phonePerMin ?? plan.phonePerMin) : 0,
    phonePerDay: plan.phoneEligible ? (overrides.phonePerDay ?? plan.phonePerDay) : 0,
    ...(record.historyDays === undefined ? {} : { historyDays: record.historyDays }),
    operator: record.operator,
    disabled: record.disabled,
    ...(record.verifiedAt === undefined ? {} : { verifiedAt: record.verifiedAt }),
    ...(record.requireFactor === true ? { requireFactor: true } : {}),
    ...(record.allowList === undefined ? {} : { allowed: allowedBy(record.allowList)! }),
    createdAt: record.createdAt,
  };
}
