import type { EvidenceState, Level, OwnRiskType, ShareTier, Signal } from './risk.ts';

/** Of the document below; it grows when a key changes its meaning or goes. */
export const TRAFFIC_SUMMARY_VERSION = 1;

/** Lines of the log whose address has this value. Without `value`: nothing is known of it. */
export interface SummaryRow<Value> {
  readonly value?: Value;
  readonly lines: number;
  /** Distinct addresses; left out once there were too many to keep apart. */
  readonly addresses?: number;
}

/** Values of one field, the most frequent first. */
export interface SummaryRanking<Value> {
  readonly rows: readonly SummaryRow<Value>[];
  /** Counts left out of `rows`. */
  readonly others?: { readonly values: number; readonly lines: number };
}

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
  /** What own collection saw there, where the evidence has no signal. */
  readonly own?: readonly OwnRiskType[];
  readonly share_tier?: ShareTier;
  /** Name of the known research scanner it belongs to. */
  readonly scanner?: string;
  /** Name of the known service it belongs to. */
  readonly service?: string;
  /** Why many people share it. */
  readonly shared_by?: 'tor' | 'relay';
  /** Times of its first and last line, RFC 3339; left out where lines have none. */
  readonly first?: string;
  readonly last?: string;
  /** Of an address of at least medium risk, in logs of requests and logins. */
  readonly requests?: SummaryActs;
}

/**
 * Requests of one address: of each kind the most frequent values of those kept, at most three. Statuses of
 * logins are `Failed` and `Accepted`.
 */
export interface SummaryActs {
  readonly paths: readonly SummaryRow<string>[];
  readonly statuses: readonly SummaryRow<string>[];
  readonly agents: readonly SummaryRow<string>[];
  /** Bytes that were sent to it. */
  readonly bytes: number;
}

/** A stretch of time, RFC 3339. */
export interface SummaryStretch {
  readonly from: string;
  readonly to: string;
}

/** Requests for one path. Without `value`: requests without a path, such as logins of sshd. */
export interface SummaryPath extends SummaryRow<string> {
  /** The most frequent of the first sixteen distinct statuses, at most eight. */
  readonly statuses: readonly SummaryRow<string>[];
  /** Times of its first and last line, RFC 3339; left out where lines have none. */
  readonly first?: string;
  readonly last?: string;
  /**
   * The shortest stretch with nine tenths of its lines, and the minutes next to it while they are about as
   * busy. Logs of more than five hours are cut into longer units, up to a day.
   */
  readonly busiest?: SummaryStretch;
}

/** Paths that were requested, the most requested first. */
export interface SummaryPaths extends SummaryRanking<string> {
  readonly rows: readonly SummaryPath[];
  /** Lines of rare paths that were forgotten, since there were too many paths to keep apart. */
  readonly forgotten_lines?: number;
  /** Real counts of rows, of lines and of addresses, are at most this much greater; 0: they are exact. */
  readonly error: number;
}

/** An IPv4 /24 or an IPv6 /48. */
export interface SummaryPrefix {
  readonly prefix: string;
  readonly lines: number;
  /** Distinct addresses; left out once there were too many to keep apart. */
  readonly addresses?: number;
  /** Lines from addresses with active evidence; left out as above. */
  readonly active_lines?: number;
}

/** An address of a line, by the name that `--field` takes. */
export interface SeenAddress {
  readonly name: string;
  readonly example: string;
}

/** Which address of each line was read, and which others were there. */
export interface SummaryDoubt {
  readonly taken: SeenAddress;
  readonly others: readonly SeenAddress[];
}

/** Lines of one stretch of time, by the kind of their addresses. */
export interface SummaryBucket {
  /** Its start, RFC 3339. */
  readonly at: string;
  readonly none: number;
  readonly stale: number;
  readonly low: number;
  readonly medium: number;
  readonly high: number;
}

/** How many distinct addresses there were. */
export type DistinctAddresses =
  | { readonly count: number; readonly method: 'exact' }
  /** An estimate; two of three lie within `standard_error`, a share of the count. */
  | { readonly count: number; readonly method: 'hyperloglog'; readonly standard_error: number };

/**
 * Document of `pulse summarize --json`: who was behind the lines of a log, at one moment. Unknown keys are
 * left out, never null.
 */
export interface TrafficSummary {
  readonly format: 'pulse-summary';
  readonly version: typeof TRAFFIC_SUMMARY_VERSION;
  /** The moment the verdicts are for. */
  readonly computed_at: string;
  readonly data_version: { readonly risk: string; readonly geo: string };
  readonly degraded?: true;
  readonly lines: {
    readonly total: number;
    /** Lines whose address has a verdict; every share is one of these. */
    readonly judged: number;
    readonly without_address: number;
    /** Private and other special-purpose addresses. */
    readonly reserved: number;
    readonly not_found: number;
    /** Lines of IPv6 addresses in a summary of a past moment: no past of theirs is kept. */
    readonly without_history?: number;
  };
  readonly addresses: DistinctAddresses;
  readonly evidence_state: SummaryRanking<EvidenceState>;
  readonly level: SummaryRanking<Level>;
  /** A line counts once for each of its signals. */
  readonly signals: SummaryRanking<Signal>;
  readonly usage_type: SummaryRanking<string>;
  readonly country: SummaryRanking<string>;
  readonly asn: SummaryRanking<number>;
  /** Handles of resource pools; a line counts once for each. */
  readonly pools: SummaryRanking<string>;
  readonly top: {
    /** Real counts of `addresses` are at most this much greater; 0: they are exact. */
    readonly addresses_error: number;
    readonly prefixes_error: number;
    /** Addresses with active evidence, the greatest score first, then the most lines. */
    readonly riskiest: readonly SummaryAddress[];
    readonly addresses: readonly SummaryAddress[];
    readonly prefixes: readonly SummaryPrefix[];
  };
  /** Lines of addresses of at least medium risk, and where those come from. */
  readonly risky: {
    readonly lines: number;
    /** As `top.prefixes`. */
    readonly prefixes: SummaryRanking<string>;
    readonly asn: SummaryRanking<number>;
    readonly pools: SummaryRanking<string>;
    /** Their requests. Left out where lines have none. */
    readonly paths?: SummaryPaths;
  };
  /** Against another log: its lines, and the riskiest addresses that only this log has, or only that one. */
  readonly against?: {
    readonly lines: number;
    readonly new: readonly SummaryAddress[];
    readonly gone: readonly SummaryAddress[];
  };
  /** Left out where a format or names say which address of a line is the client's. */
  readonly doubt?: SummaryDoubt;
  /** Left out where no line has a time. */
  readonly time?: {
    readonly from: string;
    readonly to: string;
    /** An hour or, for logs of more than 170 days, a day; in UTC. */
    readonly bucket_ms: number;
    readonly buckets: readonly SummaryBucket[];
    /** Judged lines without a time, and those outside the days that are kept. */
    readonly untimed: number;
  };
}
