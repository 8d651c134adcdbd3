import type { ScoreTable } from '../../contract/documents.ts';
import { type PrefixWeight, SCORE_PARAMETERS } from '../../core/risk/parameters.ts';

/** Body of GET /v1/score/parameters. Names of sources stay inside: rows of an explanation carry their effect. */
export function scoreTable(): ScoreTable {
  const { version, types, osintCap, prefixWeights, ipv6RangeWeights, claimMax, knownGoodMax } = SCORE_PARAMETERS;
  return {
    version,
    types: Object.fromEntries(
      Object.entries(types).map(([type, { base, windowMs, delta, persistence }]) => [
        type,
        { base, window_ms: windowMs, delta, persistence },
      ]),
    ),
    osint_cap: osintCap,
    prefix_weights: { ipv4: prefixWeights[4].map(weightOf), ipv6: prefixWeights[6].map(weightOf) },
    ipv6_range_weights: ipv6RangeWeights.map(weightOf),
    claim_max: claimMax,
    known_good_max: knownGoodMax,
  };
}

const weightOf = ({ minBits, weight }: PrefixWeight) => ({ min_bits: minBits, weight });
