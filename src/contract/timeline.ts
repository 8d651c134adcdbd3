import type { Explanation, IPTimeline, PulseIPRisk } from './documents.ts';
import type { EvidenceState } from './risk.ts';

export interface TimelinePoint {
  readonly at: string;
  readonly score: number;
  readonly state: EvidenceState;
}

/** Body of GET /console/api/pulse/{ip}: a verdict and its explanation, now or at a moment. */
export interface ExplainedVerdict {
  readonly answer: PulseIPRisk;
  readonly explanation: Explanation;
}

/**
 * Body of GET /console/api/pulse/{ip}/timeline: the answer of now, the past of the score, and its fall if
 * nothing more is captured.
 */
export interface Timeline extends ExplainedVerdict {
  readonly window_from: string;
  readonly past: readonly TimelinePoint[];
  readonly future: readonly TimelinePoint[];
  readonly kinds?: Pick<IPTimeline, 'from' | 'to' | 'start' | 'changes' | 'gaps'>;
}
