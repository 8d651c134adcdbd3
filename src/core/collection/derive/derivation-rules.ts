import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../units.ts';

const SECOND_MS = 1000;

/**
 * Rules that derive captures of kinds that no source reports. Any changed value needs a new version; captures
 * derived earlier stay as they were.
 */
export interface DerivationRules {
  readonly version: string;
  /**
   * Shortest time between two derived captures of one kind at one prefix, so that continued activity is
   * captured again but not at every row.
   */
  readonly renewMs: number;
  readonly ipv6Range: {
    /** Sliding window in which distinct addresses are counted. */
    readonly withinMs: number;
    /** Thresholds by prefix length, longest prefix first. */
    readonly lengths: readonly RangeLength[];
    /** Within this time, captures of one address by one source are noted once. */
    readonly thinMs: number;
    /**
     * Most captures noted of one /48 within `withinMs`. Further ones are dropped, because the range is known
     * by then.
     */
    readonly notedMax: number;
  };
  readonly hijackedProxy: {
    /**
     * Longest time from the proxy source's capture to that of own collection. It is short because addresses
     * of households change hands.
     */
    readonly listedWithinMs: number;
  };
  readonly dialupPool: {
    readonly changes: number;
    /** Longest time between two addresses of a move. */
    readonly gapMs: number;
    /**
     * Fewest captures at every address but the last. One capture at each is the pattern of carrier NAT
     * without fixed pairs.
     */
    readonly capturesOfStay: number;
    /** Length of the prefix that all addresses share; they also share one AS. */
    readonly prefixBits: Readonly<Record<4 | 6, number>>;
    /** Time that captures of an actor are looked back on. */
    readonly withinMs: number;
    /** Within this time, captures of one actor at one address are noted once. */
    readonly thinMs: number;
    /** Most captures noted of one actor within `withinMs`: an actor seen more often is not a single machine. */
    readonly notedMax: number;
  };
}

export interface RangeLength {
  readonly bits: number;
  readonly addresses: number;
  /** Fewest narrower prefixes that the addresses must spread over; otherwise one of those is the range. */
  readonly parts: { readonly bits: number; readonly count: number };
  /**
   * The length is skipped where network data names households or phones, since a prefix of this length holds
   * many subscribers there.
   */
  readonly notOnAccess: boolean;
}

/** Shipped rules (docs/score.md, "Derived kinds"). The numbers were chosen by simulation (docs/accuracy.md). */
// biome-ignore format: a table
export const DERIVATION_RULES: DerivationRules = {
  version: '3',
  renewMs: HOUR_MS,
  ipv6Range: {
    withinMs: DAY_MS,
    lengths: [
      { bits: 64, addresses: 64, parts: { bits: 64, count: 1 }, notOnAccess: false },
      { bits: 56, addresses: 64, parts: { bits: 64, count: 8 }, notOnAccess: true },
      { bits: 48, addresses: 96, parts: { bits: 56, count: 16 }, notOnAccess: true },
    ],
    thinMs: 10 * MINUTE_MS,
    notedMax: 1024,
  },
  hijackedProxy: { listedWithinMs: 6 * HOUR_MS },
  dialupPool: {
    changes: 3,
    gapMs: 5 * MINUTE_MS,
    capturesOfStay: 2,
    prefixBits: { 4: 16, 6: 32 },
    withinMs: DAY_MS,
    thinMs: SECOND_MS,
    notedMax: 2048,
  },
};
