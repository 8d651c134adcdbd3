import { NETWORK_SIGNAL_ROWS, RISK_TYPE_ROWS, type RiskTypesWith, type SlugWords } from './risk-types.ts';

export type RiskType = keyof typeof RISK_TYPE_ROWS;
export const RISK_TYPES = Object.keys(RISK_TYPE_ROWS) as readonly RiskType[];

const witnessed = <Type extends RiskType>(by: (typeof RISK_TYPE_ROWS)[Type]['witness']): readonly Type[] =>
  RISK_TYPES.filter((type): type is Type => RISK_TYPE_ROWS[type].witness === by);

export type OwnRiskType = RiskTypesWith<'witness', 'own'>;
export const OWN_RISK_TYPES = witnessed<OwnRiskType>('own');

export type BeaconRiskType = RiskTypesWith<'witness', 'beacon'>;
export const BEACON_RISK_TYPES = witnessed<BeaconRiskType>('beacon');

export type Signal = RiskTypesWith<'signal', true> | keyof typeof NETWORK_SIGNAL_ROWS;
const SIGNAL_ROWS = {
  ...Object.fromEntries(Object.entries(RISK_TYPE_ROWS).filter(([, { signal }]) => signal)),
  ...NETWORK_SIGNAL_ROWS,
} as Readonly<Record<Signal, Readonly<Record<'en' | 'zh', SlugWords>>>>;
export const SIGNALS = Object.keys(SIGNAL_ROWS) as readonly Signal[];

export const signalWords = (language: 'en' | 'zh'): Readonly<Record<Signal, SlugWords>> =>
  wordsIn(SIGNAL_ROWS, language);

export const riskTypeWords = (language: 'en' | 'zh'): Readonly<Record<RiskType, SlugWords>> =>
  wordsIn(RISK_TYPE_ROWS, language);

const wordsIn = <Slug extends string>(
  rows: Readonly<Record<Slug, Readonly<Record<'en' | 'zh', SlugWords>>>>,
  language: 'en' | 'zh',
): Readonly<Record<Slug, SlugWords>> =>
  Object.fromEntries(Object.keys(rows).map((slug) => [slug, rows[slug as Slug][language]])) as Record<Slug, SlugWords>;

export const EVIDENCE_STATES = ['active', 'stale', 'none'] as const;
export type EvidenceState = (typeof EVIDENCE_STATES)[number];

export const LEVELS = ['none', 'low', 'medium', 'high'] as const;
export type Level = (typeof LEVELS)[number];

export const FRESHNESS = ['within_2h', 'within_4h', 'within_12h', 'older'] as const;
export type Freshness = (typeof FRESHNESS)[number];

export const SHARE_TIERS = ['T0', 'T1', 'T2', 'T3'] as const;
export type ShareTier = (typeof SHARE_TIERS)[number];

export const CONTINENTS = ['AS', 'EU', 'NA', 'SA', 'AF', 'OC', 'AN'] as const;
export type Continent = (typeof CONTINENTS)[number];
