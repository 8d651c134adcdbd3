import type { RiskType } from '../../contract/risk.ts';
import { DAY_MS, HOUR_MS } from '../units.ts';

/** How one risk type is weighed (decisions 2): strength = base · weight of the prefix · (1 − (age/window)^(1/delta)), window = windowMs · (1 + persistence·(d − 1)/13). */
export interface TypeParameters {
  /** Strength of evidence captured this instant, 0..1. Editorial: direct observation of abuse 0.80 or more, infrastructure, lists and scans below 0.70. */
  readonly base: number;
  /** Validity window at one observed day, in milliseconds. */
  readonly windowMs: number;
  /** Shape: 2 falls fast at first, 1 is a straight line, 0.5 stays flat and then drops. */
  readonly delta: number;
  /** 1: fourteen observed days double the window; 0: they do not matter. */
  readonly persistence: number;
}

/** Weight of captured prefixes of at least `minBits` bits. */
export interface PrefixWeight {
  readonly minBits: number;
  readonly weight: number;
}

/** Everything the score depends on besides captures and network data. A change of any value is a new version. */
export interface ScoreParameters {
  readonly version: string;
  readonly types: Readonly<Record<RiskType, TypeParameters>>;
  /** The most that all osint listing families together can contribute. */
  readonly osintCap: number;
  /** How much a captured prefix weighs, by address family. Longest prefixes first; the last row has minBits 0. */
  readonly prefixWeights: Readonly<Record<4 | 6, readonly PrefixWeight[]>>;
  /** The same for ipv6_range, in place of `prefixWeights`. */
  readonly ipv6RangeWeights: readonly PrefixWeight[];
  /** Sources that contain others, by id: a capture of theirs counts for an address only while none of those has an active capture of it. */
  readonly aggregates: Readonly<Record<string, readonly string[]>>;
  /** Sources, by id, that claim networks: their rows name whole AS numbers or ranges, in which they saw no single address. */
  readonly claiming: readonly string[];
  /** The greatest strength of a capture of such a source. */
  readonly claimMax: number;
  /** The highest score of a known-good address while no own collection is active there. */
  readonly knownGoodMax: number;
}

/**
 * The shipped table. `data/score-parameters.json` is the same table for readers outside the code (windows in hours), and a test holds the two equal.
 * Where the numbers come from: docs/score.md.
 */
// biome-ignore format: a table, one row a risk type
export const SCORE_PARAMETERS: ScoreParameters = {
  version: '3',
  types: {
    proxy:               { base: 0.92, windowMs: 14 * DAY_MS,  delta: 2,   persistence: 1 },
    vpn:                 { base: 0.65, windowMs: 30 * DAY_MS,  delta: 0.5, persistence: 0 },
    dialup_pool:         { base: 0.85, windowMs: 48 * HOUR_MS, delta: 2,   persistence: 1 },
    hijacked_proxy:      { base: 0.95, windowMs: 7 * DAY_MS,   delta: 2,   persistence: 1 },
    cloud_service:       { base: 0.35, windowMs: 30 * DAY_MS,  delta: 0.5, persistence: 0 },
    cloud_phone:         { base: 0.80, windowMs: 14 * DAY_MS,  delta: 1,   persistence: 1 },
    osint:               { base: 0.28, windowMs: 30 * DAY_MS,  delta: 1,   persistence: 0 },
    honeypot_scan:       { base: 0.45, windowMs: 14 * DAY_MS,  delta: 2,   persistence: 1 },
    honeypot_credential: { base: 0.80, windowMs: 14 * DAY_MS,  delta: 2,   persistence: 1 },
    ipv6_range:          { base: 0.40, windowMs: 7 * DAY_MS,   delta: 2,   persistence: 1 },
  },
  osintCap: 0.9,
  prefixWeights: {
    4: [
      { minBits: 25, weight: 1 },
      { minBits: 24, weight: 0.8 },
      { minBits: 20, weight: 0.5 },
      { minBits: 0,  weight: 0.25 },
    ],
    6: [
      { minBits: 64, weight: 1 },
      { minBits: 56, weight: 0.8 },
      { minBits: 48, weight: 0.5 },
      { minBits: 0,  weight: 0.25 },
    ],
  },
  ipv6RangeWeights: [
    { minBits: 64, weight: 1 },
    { minBits: 56, weight: 0.6 },
    { minBits: 48, weight: 0.35 },
    { minBits: 0,  weight: 0.1 },
  ],
  aggregates: {
    ipsum: ['blocklist-de', 'blocklist-de-ssh', 'cins', 'dshield', 'et-compromised', 'feodo', 'greensnow', 'tor-bulk-exits', 'tor-nodes', 'tor-onionoo'],
    'blocklist-de': ['blocklist-de-ssh'],
  },
  claiming: ['avastel-proxies', 'x4bnet-vpn-4', 'x4bnet-vpn-6'],
  claimMax: 0.29,
  knownGoodMax: 29,
};
