import type { UnixMs } from '../units.ts';
import type { Account, Plan } from './caller.ts';

/** Changes of an operator for one account; an absent limit means: as the plan says. */
export interface Overrides {
  readonly perMin?: number;
  readonly perDay?: number;
  readonly overagePct?: number;
  readonly phonePerMin?: number;
  readonly phonePerDay?: number;
}

/** An account as it is kept: who it is, its plan's name, and the overrides. */
export interface AccountRecord {
  readonly id: string;
  readonly email: string;
  readonly plan: string;
  readonly overrides: Overrides;
  readonly dpa: boolean;
  /** The phone capability is switched on; it counts only while the plan can hold it. */
  readonly phone: boolean;
  readonly historyDays?: number;
  readonly operator: boolean;
  readonly disabled: boolean;
  readonly verifiedAt?: UnixMs;
  readonly requireFactor?: boolean;
  readonly createdAt: UnixMs;
}

/** Lays the overrides over the plan. An account on a plan that cannot hold the phone capability does not have it, whatever its switch says. */
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
    createdAt: record.createdAt,
  };
}
