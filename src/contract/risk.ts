/** The published vocabulary of the two IP look-ups: slugs and enumerations (interface, "Resources and their fields"). */

/** Risk types an evidence row may carry. The last three come from the service's own collection. Order is storage order: append only. */
export const RISK_TYPES = [
  'proxy',
  'vpn',
  'dialup_pool',
  'hijacked_proxy',
  'cloud_service',
  'cloud_phone',
  'osint',
  'honeypot_scan',
  'honeypot_credential',
  'ipv6_range',
] as const;
export type RiskType = (typeof RISK_TYPES)[number];

/** Risk types that only the service's own collection brings: sensors, own logs, intake and import, and captures derived from them. */
export const OWN_RISK_TYPES = [
  'honeypot_scan',
  'honeypot_credential',
  'ipv6_range',
] as const satisfies readonly RiskType[];
export type OwnRiskType = (typeof OWN_RISK_TYPES)[number];

/** Risk types that a beacon can witness: services that its caller pays for. Kinds that own collection sees and derives by itself are not among them. */
export const BEACON_RISK_TYPES = [
  'proxy',
  'vpn',
  'dialup_pool',
  'hijacked_proxy',
  'cloud_service',
  'cloud_phone',
] as const satisfies readonly RiskType[];
export type BeaconRiskType = (typeof BEACON_RISK_TYPES)[number];

/** Slugs of risk.signals. The last three describe the network and never add to the score; `honeypot_*` and `ipv6_range` have no slug. */
export const SIGNALS = [
  'proxy',
  'vpn',
  'dialup_pool',
  'hijacked_proxy',
  'osint',
  'crawler',
  'cloud_service',
  'cloud_phone',
  'hosting',
  'mobile',
] as const;
export type Signal = (typeof SIGNALS)[number];

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
