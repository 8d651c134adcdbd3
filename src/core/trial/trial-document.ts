import type { ShareTier } from '../../contract/risk.ts';
import type { Action } from '../policy/policy.ts';

export type ByAction = Readonly<Record<Action, number>>;

export const UNJUDGED = [
  'without_address',
  'reserved_address',
  'without_time',
  'time_to_come',
  'before_history',
  'without_history',
] as const;
export type Unjudged = (typeof UNJUDGED)[number];

export interface TrialAddress {
  readonly ip: string;
  readonly requests: number;
  readonly action: Action;
  readonly score: number;
  readonly crowd: ShareTier;
  readonly reason: string;
}

/** The policy would have met these successful logins with more than `allow`. */
export interface TrialLogin {
  readonly ip: string;
  readonly user?: string;
  readonly at?: string;
  readonly action: Action;
  readonly reason: string;
}

/** Shows the effect that a policy would have had on the records of a log (`pulse trial --json`). */
export interface TrialDocument {
  /** The moment of the verdicts; `line` means each record's own time. */
  readonly at: string;
  readonly records: { readonly total: number; readonly judged: number } & Readonly<Record<Unjudged, number>>;
  readonly requests: ByAction;
  readonly addresses: ByAction;
  readonly shared_addresses: ByAction;
  readonly hours: readonly ({ readonly hour: string } & ByAction)[];
  readonly top: readonly TrialAddress[];
  readonly logins?: {
    readonly records: { readonly total: number; readonly judged: number } & Readonly<Record<Unjudged, number>>;
    readonly logins: ByAction;
    /** Counts people by the strictest action on one of their logins; absent if the file names nobody. */
    readonly people?: ByAction;
    /** Lists the logins acted on, the strictest first. */
    readonly stopped: readonly TrialLogin[];
  };
}
