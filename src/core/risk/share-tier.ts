import { RISK_TYPES, type RiskType, SHARE_TIERS, type ShareTier } from '../../contract/risk.ts';
import { RISK_TYPE_ROWS } from '../../contract/risk-types.ts';
import type { Observation } from '../evidence/observation.ts';

// Number of independent parties that one usage type suggests behind an address (decisions 3), as an index of
// SHARE_TIERS. Unknown and unlisted codes count as 1.
// biome-ignore format: one row a tier
const BASE: ReadonlyMap<string, number> = new Map([
  ...['IDC', 'DDT', 'DNS', 'IXP', 'NET', 'BOGON', 'AUR', 'RNU', 'UND'].map((code) => [code, 0] as const),
  ...['DYN', 'COM', 'ORG', 'USE'].map((code) => [code, 1] as const),
  ...['GTW', 'EDU', 'GOV', 'WLA', 'CDN', 'ANY'].map((code) => [code, 2] as const),
  ...['MOB', 'SAT'].map((code) => [code, 3] as const),
]);

const raising = (how: 'to_t2' | 'by_one'): ReadonlySet<RiskType> =>
  new Set(RISK_TYPES.filter((type) => 'raisesTier' in RISK_TYPE_ROWS[type] && RISK_TYPE_ROWS[type].raisesTier === how));
const TO_T2 = raising('to_t2');
const BY_ONE = raising('by_one');

interface ShareFacts {
  readonly family: 4 | 6;
  readonly usageType: string | undefined;
  readonly active: readonly RiskType[];
  readonly sharedBy: Observation['sharedBy'];
}

/**
 * Returns the base by usage type, raised by active evidence (decisions 3). The tier never changes the score.
 */
export function shareTier(facts: ShareFacts): ShareTier {
  const base = baseOf(facts);
  if (facts.sharedBy !== undefined) return 'T3';
  let tier = base;
  let raised = false;
  for (const type of facts.active) {
    const to = raisedTo(type, base);
    if (to === undefined) continue;
    raised = true;
    if (to > tier) tier = to;
  }
  if (facts.family === 6 && !raised && tier > 1) tier = 1;
  return SHARE_TIERS[tier]!;
}

export function crowdOf({ usageType, relay }: Pick<NetworkSignals, 'usageType' | 'relay'>, family: 4 | 6): ShareTier {
  if (relay) return 'T3';
  const base = baseOf({ usageType });
  return SHARE_TIERS[family === 6 ? Math.min(base, 1) : base]!;
}

export const baseTier = (facts: Pick<ShareFacts, 'usageType'>): ShareTier => SHARE_TIERS[baseOf(facts)]!;

export const raisingTypes = (facts: Pick<ShareFacts, 'usageType' | 'active'>): readonly RiskType[] =>
  facts.active.filter((type) => (raisedTo(type, baseOf(facts)) ?? 0) > baseOf(facts));

const baseOf = ({ usageType }: Pick<ShareFacts, 'usageType'>): number =>
  (usageType === undefined ? undefined : BASE.get(usageType)) ?? 1;

function raisedTo(type: RiskType, base: number): number | undefined {
  if (TO_T2.has(type)) return 2;
  return BY_ONE.has(type) ? (base === 0 ? 1 : base === 1 ? 2 : base) : undefined;
}

/**
 * Of these, the score depends on `relay` (published private-relay range: never vpn evidence, share tier T3) and
 * on whether the usage type is one of `gateways`.
 */
export interface NetworkSignals {
  readonly usageType: string | undefined;
  readonly hosting: boolean;
  readonly mobile: boolean;
  readonly crawler: boolean;
  readonly relay: boolean;
}
