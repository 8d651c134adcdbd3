import type { PulseIPRisk } from './documents.ts';
import type { EvidenceState, RiskType } from './risk.ts';

/** One moment of an address's past or expected future. */
export interface TimelinePoint {
  readonly at: string;
  readonly score: number;
  readonly state: EvidenceState;
}

/** The list of known services or research scanners that holds the score at 29 while lists alone speak of the address. */
export interface KnownGoodReason {
  readonly id: string;
  readonly what: string;
  readonly source: string;
  /** Day of its content, `YYYY-MM-DD`. */
  readonly seen: string;
  readonly scanner?: true;
}

/** Body of GET /console/api/pulse/{ip}/timeline: the answer of now, how the score stood, and how it will fall if nothing is captured any more. */
export interface Timeline {
  readonly answer: PulseIPRisk;
  readonly window_from: string;
  readonly past: readonly TimelinePoint[];
  readonly future: readonly TimelinePoint[];
  /** When the score leaves a band, as the captures stand; only bands it is in. */
  readonly exits: readonly { readonly below: 70 | 30 | 1; readonly at: string }[];
  /** Of now; absent where the address is not known good or own collection is active there. */
  readonly known_good?: KnownGoodReason;
  /** Of now: active evidence says Tor exit or relay, or the address is in a published private-relay range. */
  readonly shared_by?: 'tor' | 'relay';
  /** End of the operator's override that is in force now. */
  readonly override_until?: string;
  /** For operators: which of the rows of now own collection stands behind. */
  readonly own?: readonly OwnRow[];
}

/** `derived`: it follows from captures of own sensors. */
export type OwnWitness = 'sensors' | 'beacons' | 'derived';

export interface OwnRow {
  readonly risk_type: RiskType;
  readonly by: readonly OwnWitness[];
}
