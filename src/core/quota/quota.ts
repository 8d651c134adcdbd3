import type { UnixMs } from '../units.ts';

/** Kinds of counter. Each pool has its own minute and day counters; the string form is `<pool>:<id>`. */
export type QuotaPool = 'ip' | 'account' | 'key' | 'agent' | 'phone';
export type QuotaId = `${QuotaPool}:${string}`;

/** One counter that must have room: at most `limit` units in its window, up to `hardLimit` when the plan lets it run over. */
export interface Allowance {
  readonly id: QuotaId;
  readonly limit: number;
  /** limit + overage; equal to limit without overage. */
  readonly hardLimit: number;
}

/** One question to the ledger, decided in one atomic step: all counters have room and are charged, or none is charged. */
export interface ChargeRequest {
  /** The clock as it is read for this charge. An older reading would look like a clock that went back. */
  readonly at: UnixMs;
  /** Units of the day, and of the minute unless `minuteUnits` says otherwise: 1 look-up, or n numbers or addresses. */
  readonly units: number;
  readonly minuteUnits?: number;
  /** Counted on every request, refused ones too (decisions 4.5), except where its units are more than the limit could ever hold. */
  readonly minute: readonly Allowance[];
  /** Empty: only the minute is counted. */
  readonly day: readonly Allowance[];
}

export interface WindowState {
  readonly limit: number;
  readonly remaining: number;
  /** When the next window starts. */
  readonly resetsAt: UnixMs;
}

/** Binding (smallest) allowance of each kind; absent when none of its kind was asked. */
export interface Windows {
  readonly minute?: WindowState;
  readonly day?: WindowState;
}

/** The units taken; give them back with `refund` when the work behind it failed. */
export interface Receipt {
  readonly units: number;
  readonly dayNumber: number;
  readonly ids: readonly QuotaId[];
  /** Name of this charge where a refund may have to be repeated after a lost connection. */
  readonly chargeId?: string;
}

/** `minute` and `day` are the binding (smallest) allowances, for the headers; each is absent when none of its kind was asked. */
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
  /** The quota day in force, days since 1970-01-01: the clock's, or a later one that was begun before the clock went back. */
  readonly dayNumber: number;
  readonly used: number;
  readonly refunded: number;
  readonly resetsAt: UnixMs;
}
