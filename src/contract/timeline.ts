import type { Explanation, IPTimeline, PulseIPRisk } from './documents.ts';
import type { EvidenceState } from './risk.ts';

/** One moment of an address's past or expected future. */
export interface TimelinePoint {
  readonly at: string;
  readonly score: number;
  readonly state: EvidenceState;
}

/** Body of GET /console/api/pulse/{ip}: a verdict and how it comes about, now or at a moment. */
export interface ExplainedVerdict {
  readonly answer: PulseIPRisk;
  readonly explanation: Explanation;
}

/**
 * Body of GET /console/api/pulse/{ip}/timeline: the answer of now, how the score stood, and how it will fall if
 * nothing is captured any more.
 */
export interface Timeline extends ExplainedVerdict {
  readonly window_from: string;
  readonly past: readonly TimelinePoint[];
  readonly future: readonly TimelinePoint[];
  /** When each kind of evidence counted; absent where no past is answered. */
  readonly kinds?: Pick<IPTimeline, 'from' | 'to' | 'start' | 'changes' | 'gaps'>;
}
