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
import { documentCrowd } from '../policy/order.ts';
import type { Verdict } from '../risk/verdict.ts';

export interface VerdictFacts {
  readonly state: EvidenceState;
  readonly level: Level;
  readonly score: number;
  readonly signals: readonly Signal[];
  readonly usageType?: string | undefined;
  readonly country?: string | undefined;
  readonly asn?: number | undefined;
  /**
   * Own collection counts where the evidence has no signal. The basic document has none of the fields below.
   */
  readonly own?: readonly OwnRiskType[];
  readonly shareTier?: ShareTier | undefined;
  readonly sharedBy?: Verdict['sharedBy'];
  readonly crowd: ShareTier;
  readonly pools: readonly string[];
}

export const isRisky = ({ level }: { readonly level: Level }): boolean => level === 'medium' || level === 'high';

const NONE: readonly never[] = Object.freeze([]);

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
    ...documentCrowd(document),
    pools,
  };
}

const NETWORK_SIGNALS: readonly Signal[] = ['hosting', 'mobile', 'crawler'];

function ownKinds({ risk: { signals = [], level }, evidence }: PulseIPRisk): readonly OwnRiskType[] {
  if (level === 'none' || signals.some((signal) => !NETWORK_SIGNALS.includes(signal))) return NONE;
  return OWN_RISK_TYPES.filter((type) => evidence.some(({ risk_type: known }) => known === type));
}

/** Verdicts with the same key are counted the same; their scores may differ. */
export const classKey = ({
  state,
  level,
  signals,
  usageType,
  country,
  asn,
  own,
  shareTier,
  sharedBy,
  crowd,
  pools,
}: VerdictFacts): string =>
  `${EVIDENCE_STATES.indexOf(state)}${LEVELS.indexOf(level)}|${signals}|${usageType ?? ''}|${country ?? ''}|${asn ?? ''}|${shareTier ?? ''}|${sharedBy ?? ''}|${crowd}|${own ?? ''}|${pools}`;
