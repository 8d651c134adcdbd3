import type { EvidenceState, Level, OwnRiskType, ShareTier, Signal } from './risk.ts';

export const TRAFFIC_SUMMARY_VERSION = 1;

/**
 * Counts lines of the log whose address has this value; without `value` it is unknown. `addresses`: absent once there
 * were too many distinct addresses to keep apart.
 */
export interface SummaryRow<Value> {
  readonly value?: Value;
  readonly lines: number;
  readonly addresses?: number;
}

export interface SummaryRanking<Value> {
  readonly rows: readonly SummaryRow<Value>[];
  readonly others?: { readonly values: number; readonly lines: number };
}

/**
 * - `own`: own collection saw this where the evidence has no signal.
 * - `first`: RFC 3339; absent where lines have no time.
 */
export interface SummaryAddress {
  readonly ip: string;
  readonly lines: number;
  readonly score: number;
  readonly level: Level;
  readonly evidence_state: EvidenceState;
  readonly signals?: readonly Signal[];
  readonly usage_type?: string;
  readonly country?: string;
  readonly asn?: number;
  readonly own?: readonly OwnRiskType[];
  readonly share_tier?: ShareTier;
  readonly scanner?: string;
  readonly service?: string;
  readonly shared_by?: 'tor' | 'relay';
  readonly first?: string;
  readonly last?: string;
  readonly requests?: SummaryActs;
}

/**
 * Lists the most frequent requests of one address, at most three of each kind. Statuses of logins are
 * `Failed` and `Accepted`.
 */
export interface SummaryActs {
  readonly paths: readonly SummaryRow<string>[];
  readonly statuses: readonly SummaryRow<string>[];
  readonly agents: readonly SummaryRow<string>[];
  readonly bytes: number;
}

export interface SummaryStretch {
  readonly from: string;
  readonly to: string;
}

/**
 * Requests without a path, such as logins of sshd, have no `value`.
 * - `statuses`: the most frequent of the first sixteen distinct statuses, at most eight.
 * - `busiest`: the shortest stretch with nine tenths of its lines, and the minutes next to it while they are about as
 *   busy. Logs of more than five hours are cut into longer units, up to a day.
 */
export interface SummaryPath extends SummaryRow<string> {
  readonly statuses: readonly SummaryRow<string>[];
  readonly first?: string;
  readonly last?: string;
  readonly busiest?: SummaryStretch;
}

export interface SummaryPaths extends SummaryRanking<string> {
  readonly rows: readonly SummaryPath[];
  /** Rare paths were forgotten when there were too many to keep apart; these are their lines. */
  readonly forgotten_lines?: number;
  /** Real counts of rows, lines and addresses are at most this much greater; 0 means that they are exact. */
  readonly error: number;
}

export interface SummaryPrefix {
  readonly prefix: string;
  readonly lines: number;
  readonly addresses?: number;
  readonly active_lines?: number;
}

export interface SeenAddress {
  readonly name: string;
  readonly example: string;
}

/** One kind of lines whose client neither a format nor a name says. */
export interface SummaryDoubt {
  readonly taken: SeenAddress;
  readonly others: readonly SeenAddress[];
  readonly lines: number;
}

export interface SummaryBucket {
  readonly at: string;
  readonly none: number;
  readonly stale: number;
  readonly low: number;
  readonly medium: number;
  readonly high: number;
}

export type DistinctAddresses =
  | { readonly count: number; readonly method: 'exact' }
  /** An estimate: two of three lie within `standard_error`, a share of the count. */
  | { readonly count: number; readonly method: 'hyperloglog'; readonly standard_error: number };

/**
 * The document of `pulse summarize --json` shows who was behind the lines of a log at one moment. Unknown
 * keys are absent, never null.
 */
export interface TrafficSummary {
  readonly format: 'pulse-summary';
  readonly version: typeof TRAFFIC_SUMMARY_VERSION;
  readonly computed_at: string;
  readonly data_version: { readonly risk: string; readonly geo: string };
  readonly degraded?: true;
  readonly lines: {
    readonly total: number;
    readonly judged: number;
    readonly without_address: number;
    readonly reserved: number;
    readonly not_found: number;
    /** Counts lines of IPv6 addresses in a summary of a past moment: no past of theirs is kept. */
    readonly without_history?: number;
  };
  readonly addresses: DistinctAddresses;
  readonly evidence_state: SummaryRanking<EvidenceState>;
  readonly level: SummaryRanking<Level>;
  readonly signals: SummaryRanking<Signal>;
  readonly usage_type: SummaryRanking<string>;
  readonly country: SummaryRanking<string>;
  readonly asn: SummaryRanking<number>;
  readonly pools: SummaryRanking<string>;
  readonly top: {
    /** Real counts of `addresses` are at most this much greater; 0 means that they are exact. */
    readonly addresses_error: number;
    readonly prefixes_error: number;
    readonly riskiest: readonly SummaryAddress[];
    readonly addresses: readonly SummaryAddress[];
    readonly prefixes: readonly SummaryPrefix[];
  };
  readonly risky: {
    readonly lines: number;
    readonly prefixes: SummaryRanking<string>;
    readonly asn: SummaryRanking<number>;
    readonly pools: SummaryRanking<string>;
    readonly paths?: SummaryPaths;
  };
  readonly against?: {
    readonly lines: number;
    readonly new: readonly SummaryAddress[];
    readonly gone: readonly SummaryAddress[];
  };
  readonly doubt?: readonly SummaryDoubt[];
  readonly time?: {
    readonly from: string;
    readonly to: string;
    /** An hour, or a day for logs of more than 170 days; in UTC. */
    readonly bucket_ms: number;
    readonly buckets: readonly SummaryBucket[];
    readonly untimed: number;
  };
}
