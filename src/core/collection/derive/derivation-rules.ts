import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../units.ts';

const SECOND_MS = 1000;

/** Rules that make a capture of a kind that no source reports. A change of any value is a new version; earlier derived captures stay as they were. */
export interface DerivationRules {
  readonly version: string;
  /** Time between two derived captures of one kind at one prefix: a prefix that goes on is captured again, but not at every row. Milliseconds. */
  readonly renewMs: number;
  readonly ipv6Range: {
    /** Distinct addresses of own collection must lie within this, milliseconds. */
    readonly withinMs: number;
    /** How many make a range of each length. Longest prefixes first. */
    readonly lengths: readonly RangeLength[];
    /** Captures of one address and source closer together than this are noted once, milliseconds. */
    readonly thinMs: number;
    /** Captures noted of one /48 within `withinMs`. Past that its addresses are not told apart any more: it is a range long since. */
    readonly notedMax: number;
  };
  readonly hijackedProxy: {
    /** A proxy source captured the address at most this long before own collection did, milliseconds: addresses of households change hands. */
    readonly listedWithinMs: number;
  };
  readonly dialupPool: {
    /** An actor went on to another address at least so often. */
    readonly changes: number;
    /** It went on within this, milliseconds. */
    readonly gapMs: number;
    /** It was captured at least so often at every address but the last. One at each is how carrier NAT without fixed pairs looks. */
    readonly capturesOfStay: number;
    /** Length of the prefix that all addresses share. They are of one AS, too. */
    readonly prefixBits: Readonly<Record<4 | 6, number>>;
    /** How far back captures of an actor are looked at, milliseconds. */
    readonly withinMs: number;
    /** Captures of one actor and address closer together than this are noted once, milliseconds. */
    readonly thinMs: number;
    /** Captures noted of one actor within `withinMs`: one seen more often is not one machine. */
    readonly notedMax: number;
  };
}

export interface RangeLength {
  readonly bits: number;
  readonly addresses: number;
  /** They must lie in at least so many narrower prefixes: otherwise one of those is the range. */
  readonly parts: { readonly bits: number; readonly count: number };
  /** Only where no network data says that households or phones are there: such space holds many subscribers in a prefix of this length. */
  readonly notOnAccess: boolean;
}

/** The shipped rules (docs/score.md, "Derived kinds"). The numbers are chosen by simulation (docs/accuracy.md). */
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
