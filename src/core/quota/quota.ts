import type { UnixMs } from '../units.ts';

export type QuotaPool = 'ip' | 'account' | 'key' | 'agent' | 'phone';
export type QuotaId = `${QuotaPool}:${string}`;

/** A counter with its limit. A plan with overage may use up to `hardLimit`. */
export interface Allowance {
  readonly id: QuotaId;
  readonly limit: number;
  readonly hardLimit: number;
}

/**
 * One question to the ledger, decided in one atomic step: either all counters have room and are charged, or
 * none is charged.
 */
export interface ChargeRequest {
  /** Must be read from the clock for this charge. An earlier reading would look like a clock that went back. */
  readonly at: UnixMs;
  /**
   * Units of the day, and of the minute unless `minuteUnits` is given: 1 for a lookup, n for n numbers or
   * addresses.
   */
  readonly units: number;
  readonly minuteUnits?: number;
  /** Counted even for refused requests (decisions 4.5), except if the units exceed the whole limit. */
  readonly minute: readonly Allowance[];
  readonly day: readonly Allowance[];
}

export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  readonly resetsAt: UnixMs;
}

/** The binding allowance of a kind is its smallest; it is absent when none of the kind was asked. */
export interface Windows {
  readonly minute?: WindowState;
  readonly day?: WindowState;
}

export interface Receipt {
  readonly units: number;
  readonly dayNumber: number;
  readonly ids: readonly QuotaId[];
  /** Identifies the charge when a refund must be repeated after a lost connection. */
  readonly chargeId?: string;
}

export type ChargeResult =
  | { readonly ok: true; readonly minute?: WindowState; readonly day?: WindowState; readonly receipt: Receipt }
  | {
      readonly ok: false;
      readonly window: 'minute' | 'day';
      readonly refusedBy: QuotaId;
      readonly minute?: WindowState;
      readonly day?: WindowState;
    };

export interface DayUsage {
  /**
   * The quota day in force as days since 1970-01-01: the clock's, or a later one that was begun before the
   * clock went back.
   */
  readonly dayNumber: number;
  readonly used: number;
  readonly refunded: number;
  readonly resetsAt: UnixMs;
}
