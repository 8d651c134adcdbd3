import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import { RISK_TYPE_ROWS } from '../../contract/risk-types.ts';
import { HOUR_MS } from '../units.ts';

/**
 * Parameters of one risk type (decisions 2): strength = base · weight of the prefix · (1 −
 * (age/window)^(1/delta)), window = windowMs · (1 + persistence·(d − 1)/13).
 * - `base`: strength of a capture at age 0, 0..1. The value is editorial: direct observation of abuse has 0.80 or
 *   more; infrastructure, lists and scans have less than 0.70.
 * - `delta`: shape: 2 falls fast at first, 1 is a straight line, 0.5 stays flat and then drops.
 * - `persistence`: with 1, fourteen observed days double the window; with 0 they do not matter.
 */
export interface TypeParameters {
  readonly base: number;
  readonly windowMs: number;
  readonly delta: number;
  readonly persistence: number;
}

export interface PrefixWeight {
  readonly minBits: number;
  readonly weight: number;
}

/**
 * Everything that the score depends on besides captures and network data. Any changed value needs a new
 * version.
 * - `prefixWeights`: weights of captured prefixes by address family, longest prefixes first; the last row has minBits
 *   0.
 * - `aggregates`: sources that contain other sources, by id. Their captures of an address count only while no
 *   contained source has an active capture of it.
 * - `claiming`: ids of sources that claim networks: their rows name whole AS numbers or ranges, in which they saw no
 *   single address. No capture of theirs is stronger than `claimMax`.
 * - `neighbourhoods`: ids of sources that name the networks around one day's proxies. Their captures count only where
 *   nothing else is active, so that they never raise an address above low.
 * - `knownGoodMax`: highest score of a known-good address while no own collection is active there.
 */
export interface ScoreParameters {
  readonly version: string;
  readonly types: Readonly<Record<RiskType, TypeParameters>>;
  readonly osintCap: number;
  readonly prefixWeights: Readonly<Record<4 | 6, readonly PrefixWeight[]>>;
  readonly ipv6RangeWeights: readonly PrefixWeight[];
  readonly aggregates: Readonly<Record<string, readonly string[]>>;
  readonly claiming: readonly string[];
  readonly neighbourhoods: readonly string[];
  /**
   * Usage types whose addresses relay for many: a proxy that one source caught there on one day is no stronger
   * than `claimMax`.
   */
  readonly gateways: readonly string[];
  readonly claimMax: number;
  readonly knownGoodMax: number;
}

// Shipped table. `data/score-parameters.json` is the same table for readers outside the code (windows in
// hours), and a test keeps the two equal. docs/score.md explains the numbers.
// biome-ignore format: tables
export const SCORE_PARAMETERS: ScoreParameters = {
  version: '5',
  types: Object.fromEntries(
    RISK_TYPES.map((type) => {
      const { windowHours, ...others } = RISK_TYPE_ROWS[type].parameters;
      return [type, { ...others, windowMs: windowHours * HOUR_MS }];
    }),
  ) as Readonly<Record<RiskType, TypeParameters>>,
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
  claiming: ['avastel-proxies', 'x4bnet-vpn-4', 'x4bnet-vpn-6', 'avastel-neighbours'],
  neighbourhoods: ['avastel-neighbours'],
  gateways: ['CDN', 'GTW'],
  claimMax: 0.29,
  knownGoodMax: 29,
};
