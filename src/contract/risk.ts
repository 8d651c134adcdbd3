/** The published vocabulary of the two IP look-ups: slugs, enumerations and response documents (interface, "Resources and their fields"). Imports nothing. */

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

/** Risk types that only the service's own collection brings: sensors, own logs, intake and import, and what is derived from them. */
export const OWN_RISK_TYPES = [
  'honeypot_scan',
  'honeypot_credential',
  'ipv6_range',
] as const satisfies readonly RiskType[];

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

/** Usage codes with a localised name, plus COM. The set is open: any other code is valid and means unknown. */
export const USAGE_TYPES = [
  'ANY', 'CDN', 'DNS', 'EDU', 'GTW', 'GOV', 'DYN', 'IDC', 'IXP', 'MOB', 'NET', 'ORG', 'SAT', 'BOGON', 'AUR', 'RNU', 'UND', 'WLA', 'DDT', 'USE', 'COM',
] as const; // biome-ignore format: one row reads as the table it is

export interface Risk {
  readonly score: number;
  readonly level: Level;
  /** Sorted alphabetically; absent when nothing fires. */
  readonly signals?: readonly Signal[];
}

export interface Network {
  readonly asn?: number;
  readonly usage_type?: string;
}

export interface Geo {
  readonly continent?: Continent;
  readonly country?: string;
  readonly subdivision?: string;
  readonly admin_code?: string;
  readonly region?: string;
  readonly city?: string;
  readonly district?: string;
  readonly tz?: string;
  readonly lat?: number;
  readonly lon?: number;
}

export interface LookupMeta {
  readonly data_version: { readonly risk: string; readonly geo: string };
}

/** Body of GET /v1/ip/{ip} and of the MCP tool ip_risk_lookup. */
export interface IPRisk {
  readonly ip: string;
  readonly risk: Risk;
  readonly evidence_state: EvidenceState;
  readonly computed_at: string;
  readonly network?: Network;
  readonly geo?: Geo;
  readonly degraded?: true;
  readonly meta: LookupMeta;
}

/** One evidence row: these five keys and no other. */
export interface Evidence {
  readonly risk_type: RiskType;
  readonly freshness: Freshness;
  readonly obs_days: number;
  readonly captured_at?: string;
  readonly age_min?: number;
}

/** Body of GET /pulse/v1/ip/{ip}. */
export interface PulseIPRisk {
  readonly ip: string;
  readonly risk: Risk;
  readonly evidence_state: EvidenceState;
  readonly computed_at: string;
  readonly share_tier: ShareTier;
  readonly evidence: readonly Evidence[];
  readonly resource_pools?: readonly string[];
  readonly professional_degraded?: 'dpa_required';
  readonly network?: Network;
  readonly geo?: Geo;
  readonly meta: LookupMeta;
}
