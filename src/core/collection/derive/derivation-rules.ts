import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../units.ts';

const SECOND_MS = 1000;

/**
 * Rules that derive captures of kinds that no source reports. A changed value needs a new version; captures
 * derived earlier stay.
 */
export interface DerivationRules {
  readonly version: string;
  /**
   * Two derived captures of one kind at one prefix are at least this far apart, so that continued activity is
   * captured again but not at every row.
   */
  readonly renewMs: number;
  readonly ipv6Range: {
    readonly withinMs: number;
    readonly lengths: readonly RangeLength[];
    /** Within this time, captures of one address by one source are noted once. */
    readonly thinMs: number;
    /** A /48 with this many captures within `withinMs` is known as a range, so further ones are dropped. */
    readonly notedMax: number;
  };
  readonly hijackedProxy: {
    /**
     * Bounds the time from the proxy source's capture to that of own collection. It is short because
     * addresses of households change hands.
     */
    readonly listedWithinMs: number;
  };
  readonly dialupPool: {
    readonly changes: number;
    readonly gapMs: number;
    /**
     * Every address but the last needs this many captures. One at each is the pattern of carrier NAT without
     * fixed pairs.
     */
    readonly capturesOfStay: number;
    /** All addresses share a prefix of this length, and one AS. */
    readonly prefixBits: Readonly<Record<4 | 6, number>>;
    readonly withinMs: number;
    /** Within this time, captures of one actor at one address are noted once. */
    readonly thinMs: number;
    /** An actor that is seen more often within `withinMs` is not a single machine. */
    readonly notedMax: number;
  };
}

export interface RangeLength {
  readonly bits: number;
  readonly addresses: number;
  /** The addresses must spread over so many narrower prefixes; otherwise one of those is the range. */
  readonly parts: { readonly bits: number; readonly count: number };
  /**
   * Skips the length where network data names households or phones, because many subscribers share such a
   * prefix.
   */
  readonly notOnAccess: boolean;
}

/** The shipped rules (docs/score.md, "Derived kinds"). Simulation chose the numbers (docs/accuracy.md). */
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
