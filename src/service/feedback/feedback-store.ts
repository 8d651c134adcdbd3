import type { Explanation } from '../../contract/documents.ts';
import type { RiskType } from '../../contract/risk.ts';
import type { UnixMs } from '../../core/units.ts';
import type { By } from '../accounts/account-store.ts';

export const FEEDBACK_VERDICTS = ['false_positive', 'false_negative'] as const;
export type FeedbackVerdict = (typeof FEEDBACK_VERDICTS)[number];

/** A caller's word that a verdict is wrong, with the explanation as it stood then. */
export interface Feedback {
  readonly id: string;
  readonly at: UnixMs;
  /** Account that sent it; undefined for a visitor. */
  readonly account: string | undefined;
  readonly ip: string;
  readonly verdict: FeedbackVerdict;
  readonly riskType: RiskType | undefined;
  readonly comment: string | undefined;
  readonly explanation: Explanation;
  readonly outcome: FeedbackOutcome;
}

export type FeedbackOutcome = 'open' | 'confirmed' | 'rejected';

/** Decided reports of false positives at addresses that a source named, and how many were confirmed. */
export interface SourceFeedback {
  readonly decided: number;
  readonly confirmed: number;
}

/** Feedback of this installation, in the accounts database. Decisions have audit rows. */
export interface FeedbackStore {
  /** @param most maximum of open reports */
  add(feedback: Feedback, most: number): Promise<'added' | 'too_many'>;
  /** Open reports first, then the newest. */
  list(limit: number): Promise<readonly Feedback[]>;
  decide(id: string, outcome: 'confirmed' | 'rejected', by: By): Promise<Feedback | 'unknown_feedback'>;
  /** Counts by source, over decided reports of false positives. */
  bySource(): Promise<ReadonlyMap<string, SourceFeedback>>;
}
