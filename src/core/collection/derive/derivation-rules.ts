import type { RiskType } from '../../../contract/risk.ts';
import type { Address, Prefix } from '../../ip/address.ts';
import type { NetworkSignals } from '../../risk/share-tier.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, type UnixMs } from '../../units.ts';

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
  /**
   * - `thinMs`: within this time, captures of one address by one source are noted once.
   * - `notedMax`: a /48 with this many captures within `withinMs` is known as a range, so further ones are dropped.
   */
  readonly ipv6Range: {
    readonly withinMs: number;
    readonly lengths: readonly RangeLength[];
    readonly thinMs: number;
    readonly notedMax: number;
  };
  readonly hijackedProxy: {
    /**
     * Bounds the time from the proxy source's capture to that of own collection. It is short because
     * addresses of households change hands.
     */
    readonly listedWithinMs: number;
  };
  /**
   * - `capturesOfStay`: every address but the last needs this many captures. One at each is the pattern of carrier NAT
   *   without fixed pairs.
   * - `prefixBits`: all addresses share a prefix of this length, and one AS.
   * - `thinMs`: within this time, captures of one actor at one address are noted once.
   * - `notedMax`: an actor that is seen more often within `withinMs` is not a single machine.
   */
  readonly dialupPool: {
    readonly changes: number;
    readonly gapMs: number;
    readonly capturesOfStay: number;
    readonly prefixBits: Readonly<Record<4 | 6, number>>;
    readonly withinMs: number;
    readonly thinMs: number;
    readonly notedMax: number;
  };
}

/**
 * - `parts`: the addresses must spread over so many narrower prefixes; otherwise one of those is the range.
 * - `notOnAccess`: skips the length where network data names households or phones, because many subscribers share
 *   such a prefix.
 */
export interface RangeLength {
  readonly bits: number;
  readonly addresses: number;
  readonly parts: { readonly bits: number; readonly count: number };
  readonly notOnAccess: boolean;
}

// The shipped rules (docs/score.md, "Derived kinds"). Simulation chose the numbers (docs/accuracy.md).
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

export const DERIVED_ID = 'derived';

/**
 * The first and last capture of one own source and one key that support a derived capture. `sender` and
 * `pool` are empty for none.
 */
export interface RestingOn {
  readonly source: string;
  readonly sender: string;
  readonly first: UnixMs;
  readonly last: UnixMs;
}

export interface DerivedCapture {
  readonly prefix: Prefix;
  readonly riskType: RiskType;
  readonly at: UnixMs;
  readonly pool: string;
  /** Sorted by source and key. The derived capture is deleted when all of them are withdrawn. */
  readonly restsOn: readonly RestingOn[];
  readonly reason: string;
}

export function restingOn(captures: Iterable<SupportingCapture>): readonly RestingOn[] {
  const spans = new CaptureSpans();
  for (const capture of captures) spans.add(capture);
  return spans.list();
}

type SupportingCapture = Pick<OwnCapture, 'source' | 'sender' | 'at'>;

export class CaptureSpans {
  readonly #spans = new Map<string, RestingOn>();

  add({ source, sender, at }: SupportingCapture): void {
    const name = `${source} ${sender}`;
    const { first, last } = this.#spans.get(name) ?? { first: at, last: at };
    this.#spans.set(name, { source, sender, first: at < first ? at : first, last: at > last ? at : last });
  }

  list(): readonly RestingOn[] {
    return [...this.#spans].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, span]) => span);
  }
}

export class DerivedTimes {
  readonly #times = new Map<string, UnixMs[]>();

  note(kind: string, at: UnixMs): void {
    const known = this.#times.get(kind);
    if (known === undefined) this.#times.set(kind, [at]);
    else known.push(at);
  }

  /** Returns whether a derived capture is known in the `withinMs` milliseconds that end at `at`. */
  isFresh(kind: string, at: UnixMs, withinMs: number): boolean {
    return this.#times.get(kind)?.some((known) => known <= at && known > at - withinMs) ?? false;
  }
}

export const derivedKind = (riskType: RiskType, { family, w0, w1, w2, w3, bits }: Prefix): string =>
  `${riskType} ${family} ${w0} ${w1} ${w2} ${w3} ${bits}`;

const SUBSCRIBERS: ReadonlySet<string> = new Set(['DYN', 'MOB']);

/**
 * An address is on access-network space if data names subscribers, or if the AS is known, no usage is, and no
 * list calls it hosting. Hosting, crawlers, private relays and networks with another use (IDC, EDU, CDN, …)
 * never are, nor is an unknown network.
 */
export function isAccessSpace({
  usageType,
  hosting,
  crawler,
  relay,
  asn,
}: NetworkSignals & { readonly asn: number | undefined }): boolean {
  if (hosting || crawler || relay) return false;
  return usageType === undefined ? asn !== undefined : SUBSCRIBERS.has(usageType);
}

export const isSubscriberSpace = ({ usageType, mobile }: NetworkSignals): boolean =>
  mobile || (usageType !== undefined && SUBSCRIBERS.has(usageType));

export interface OwnCapture {
  readonly address: Address;
  readonly at: UnixMs;
  readonly source: string;
  readonly sender: string;
}

export interface CollectionFacts {
  network(address: Address): NetworkSignals & { readonly asn: number | undefined };
  isKnownGood(address: Address, at: UnixMs): boolean;
}
