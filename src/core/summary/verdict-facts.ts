import type { IPRisk, PulseIPRisk } from '../../contract/documents.ts';
import {
  EVIDENCE_STATES,
  type EvidenceState,
  LEVELS,
  type Level,
  OWN_RISK_TYPES,
  type OwnRiskType,
  type ShareTier,
  type Signal,
} from '../../contract/risk.ts';

/** Facts of a verdict that a summary counts. */
export interface VerdictFacts {
  readonly state: EvidenceState;
  readonly level: Level;
  /** 0 to 100. */
  readonly score: number;
  readonly signals: readonly Signal[];
  readonly usageType?: string | undefined;
  readonly country?: string | undefined;
  readonly asn?: number | undefined;
  /** Kinds of own collection, where the evidence has no signal; the basic document has none. */
  readonly own?: readonly OwnRiskType[];
  /** The basic document has none. */
  readonly shareTier?: ShareTier | undefined;
  /** Handles of resource pools; the basic document has none. */
  readonly pools: readonly string[];
}

/** At least medium risk. */
export const isRisky = ({ level }: { readonly level: Level }): boolean => level === 'medium' || level === 'high';

const NONE: readonly never[] = Object.freeze([]);

/** Fields of the body of either single lookup. */
export function verdictFacts(document: IPRisk | PulseIPRisk): VerdictFacts {
  const { risk, evidence_state: state, network, geo } = document;
  const pools = ('resource_pools' in document ? document.resource_pools : undefined) ?? NONE;
  return {
    state,
    level: risk.level,
    score: risk.score,
    signals: risk.signals ?? NONE,
    usageType: network?.usage_type,
    country: geo?.country,
    asn: network?.asn,
    own: 'evidence' in document ? ownKinds(document) : NONE,
    shareTier: 'share_tier' in document ? document.share_tier : undefined,
    pools,
  };
}

const NETWORK_SIGNALS: readonly Signal[] = ['hosting', 'mobile', 'crawler'];

/** What own collection saw, where no signal says why the score is what it is. */
function ownKinds({ risk: { signals = [], level }, evidence }: PulseIPRisk): readonly OwnRiskType[] {
  if (level === 'none' || signals.some((signal) => !NETWORK_SIGNALS.includes(signal))) return NONE;
  return OWN_RISK_TYPES.filter((type) => evidence.some(({ risk_type: known }) => known === type));
}

/** Text that two verdicts share when a summary counts them the same. Their scores may differ. */
export const classKey = ({
  state,
  level,
  signals,
  usageType,
  country,
  asn,
  own,
  shareTier,
  pools,
}: VerdictFacts): string =>
  `${EVIDENCE_STATES.indexOf(state)}${LEVELS.indexOf(level)}|${signals}|${usageType ?? ''}|${country ?? ''}|${asn ?? ''}|${shareTier ?? ''}|${own ?? ''}|${pools}`;
