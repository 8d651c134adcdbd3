import { type AllowEntry, allowedBy } from '../policy/allow-list.ts';
import type { UnixMs } from '../units.ts';
import type { Account, Plan } from './caller.ts';

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
