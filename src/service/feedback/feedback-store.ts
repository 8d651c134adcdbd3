import type { Explanation } from '../../contract/documents.ts';
import type { RiskType } from '../../contract/risk.ts';
import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';

export const FEEDBACK_VERDICTS = ['false_positive', 'false_negative'] as const;
export type FeedbackVerdict = (typeof FEEDBACK_VERDICTS)[number];

export interface Feedback {
  readonly id: string;
  readonly at: UnixMs;
  readonly account: string | undefined;
  readonly ip: string;
  readonly verdict: FeedbackVerdict;
  readonly riskType: RiskType | undefined;
  readonly comment: string | undefined;
  readonly explanation: Explanation;
  readonly outcome: FeedbackOutcome;
}

export type FeedbackOutcome = 'open' | 'confirmed' | 'rejected';

export interface SourceFeedback {
  readonly decided: number;
  readonly confirmed: number;
}

export interface FeedbackCaps {
  readonly all: number;
  readonly account: number;
  readonly address: number;
}

export interface FeedbackStore {
  /** Adds nothing if there is a report of this id already: `differs` if it says something else. */
  add(feedback: Feedback, caps: FeedbackCaps): Promise<'added' | 'differs' | 'too_many'>;
  list(limit: number): Promise<readonly Feedback[]>;
  decide(id: string, outcome: 'confirmed' | 'rejected', by: By): Promise<Feedback | 'unknown_feedback'>;
  /** Decides all open reports of an account, or those without one. @returns their count */
  decideAll(account: string | undefined, outcome: 'confirmed' | 'rejected', by: By): Promise<number>;
  bySource(): Promise<ReadonlyMap<string, SourceFeedback>>;
}
