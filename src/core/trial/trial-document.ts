import type { ShareTier } from '../../contract/risk.ts';
import type { Action } from '../policy/policy.ts';

/** Counts by action. */
export type ByAction = Readonly<Record<Action, number>>;

/** Why a record was not judged. */
export const UNJUDGED = [
  'without_address',
  'reserved_address',
  'without_time',
  'time_to_come',
  'before_history',
  'without_history',
] as const;
export type Unjudged = (typeof UNJUDGED)[number];

/** An address that the policy would have acted on. */
export interface TrialAddress {
  readonly ip: string;
  readonly requests: number;
  /** The strictest action on it. */
  readonly action: Action;
  readonly score: number;
  readonly share_tier: ShareTier;
  readonly reason: string;
}

/** A login that succeeded and that the policy would have met with more than `allow`. */
export interface TrialLogin {
  readonly ip: string;
  /** Absent if the file names nobody. */
  readonly user?: string;
  /** Absent if the record has no time. */
  readonly at?: string;
  readonly action: Action;
  readonly reason: string;
}

/** Effect that a policy would have had on the records of a log (`pulse trial --json`). */
export interface TrialDocument {
  /** The moment of the verdicts; `line` for each record's own time. */
  readonly at: string;
  readonly records: { readonly total: number; readonly judged: number } & Readonly<Record<Unjudged, number>>;
  readonly requests: ByAction;
  readonly addresses: ByAction;
  /** Addresses that tens or more share: tiers T2 and T3. */
  readonly shared_addresses: ByAction;
  /** By UTC hour of the records, ascending. */
  readonly hours: readonly ({ readonly hour: string } & ByAction)[];
  /** Addresses acted on, most requests first. */
  readonly top: readonly TrialAddress[];
  /** Absent without logins. */
  readonly logins?: {
    readonly records: { readonly total: number; readonly judged: number } & Readonly<Record<Unjudged, number>>;
    readonly logins: ByAction;
    /** People by the strictest action on one of their logins; absent if the file names nobody. */
    readonly people?: ByAction;
    /** Logins acted on, the strictest first. */
    readonly stopped: readonly TrialLogin[];
  };
}
