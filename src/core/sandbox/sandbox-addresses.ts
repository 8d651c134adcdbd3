/**
 * The sandbox answers each documentation address by this table. docs/sandbox.md is the same table, and a test
 * holds the two equal.
 */
import type { Geo } from '../../contract/documents.ts';
import type { ErrorCode } from '../../contract/errors.ts';
import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import { RISK_TYPE_ROWS, type RiskTypeRow } from '../../contract/risk-types.ts';
import type { NetworkEffect } from '../place/network-list.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, unixMs } from '../units.ts';

/**
 * Every verdict of the sandbox is for this moment. Its minute ends three seconds later, so that Retry-After
 * is short.
 */
export const SANDBOX_MOMENT = unixMs(Date.UTC(2026, 10, 2, 12, 0, 57, 250));

/** RFC 5737 and RFC 3849 keep these ranges for documentation. */
export const SANDBOX_RANGES = ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32'] as const;

const HOUR = HOUR_MS / MINUTE_MS;
const DAY = DAY_MS / MINUTE_MS;

export interface SandboxCaptures {
  readonly riskType: RiskType;
  readonly ageMin: number;
  /** Counts days with a capture back from the newest; default 1. */
  readonly days?: number;
  readonly family?: string;
  readonly pool?: string;
  readonly sharedBy?: 'tor' | 'relay';
  readonly bits?: number;
}

export type SandboxNetwork = Pick<NetworkEffect, 'usage' | 'hosting' | 'mobile' | 'crawler' | 'relay'>;

export interface SandboxVerdictRow {
  readonly ip: string;
  readonly shows: string;
  readonly captures: readonly SandboxCaptures[];
  readonly network?: SandboxNetwork;
  /** Default: one city for all; null means that the place is unknown. */
  readonly place?: Geo | null;
  readonly degraded?: true;
  readonly withoutAgreement?: true;
}

export interface SandboxRefusalRow {
  readonly ip: string;
  readonly code: ErrorCode;
  readonly only?: 'basic' | 'professional';
}

export const isRefusal = (row: SandboxVerdictRow | SandboxRefusalRow): row is SandboxRefusalRow => 'code' in row;

/** RFC 5398 keeps this AS number for documentation; every network of the sandbox has it. */
export const SANDBOX_ASN = 64496;

export const SANDBOX_PLACE: Geo = {
  continent: 'EU',
  country: 'DE',
  region: 'Land Berlin',
  city: 'Berlin',
  tz: 'Europe/Berlin',
  lat: 52.52,
  lon: 13.405,
};

// biome-ignore format: one row reads as the table it is
const SHENZHEN: Geo = {
  continent: 'AS', country: 'CN', subdivision: 'CN-GD', admin_code: '440305', region: 'Guangdong', city: 'Shenzhen', district: 'Nanshan', tz: 'Asia/Shanghai', lat: 22.5329, lon: 113.9303,
};

const HOSTING: SandboxNetwork = { usage: 'IDC', hosting: true };

function typeRow(riskType: RiskType): SandboxVerdictRow {
  const { ip, remark, hosting, captures }: RiskTypeRow['sandbox'] = RISK_TYPE_ROWS[riskType].sandbox;
  return {
    ip,
    shows: `risk type ${riskType}${remark ?? ''}`,
    ...(hosting && { network: HOSTING }),
    captures: captures.map((capture) => ({ riskType, ...capture })),
  };
}

export const SANDBOX_UNSEEN: Omit<SandboxVerdictRow, 'ip'> = {
  shows: 'never seen: no information, not a statement of safety',
  captures: [],
};

// biome-ignore format: a table
export const SANDBOX_ADDRESSES: readonly (SandboxVerdictRow | SandboxRefusalRow)[] = [
  { ip: '192.0.2.1', ...SANDBOX_UNSEEN },
  { ip: '192.0.2.2', shows: 'stale: an open proxy two months ago, score 0', captures: [{ riskType: 'proxy', ageMin: 60 * DAY }] },
  { ip: '192.0.2.3', shows: 'low: a proxy ten days ago', captures: [{ riskType: 'proxy', ageMin: 10 * DAY }] },
  { ip: '192.0.2.4', shows: 'medium: a VPN exit on hosting space', network: HOSTING, captures: [{ riskType: 'vpn', ageMin: 5 * HOUR, days: 14, pool: 'sandbox-vpn' }] },
  { ip: '192.0.2.5', shows: 'high: an open proxy minutes ago, eight days running', captures: [{ riskType: 'proxy', ageMin: 12, days: 8, pool: 'sandbox-proxy' }] },
  { ip: '192.0.2.6', shows: 'close to 100: several risk types at once', network: HOSTING,
    captures: [{ riskType: 'proxy', ageMin: 5, days: 14, pool: 'sandbox-proxy' }, { riskType: 'vpn', ageMin: 11 * HOUR, days: 14, pool: 'sandbox-vpn' }, { riskType: 'osint', ageMin: 90, days: 6, family: 'a' }, { riskType: 'honeypot_scan', ageMin: 25 * HOUR, days: 2 }] },
  { ip: '192.0.2.10', shows: 'freshness within_2h', captures: [{ riskType: 'proxy', ageMin: HOUR }] },
  { ip: '192.0.2.11', shows: 'freshness within_4h', captures: [{ riskType: 'proxy', ageMin: 3 * HOUR }] },
  { ip: '192.0.2.12', shows: 'freshness within_12h', captures: [{ riskType: 'proxy', ageMin: 8 * HOUR }] },
  { ip: '192.0.2.13', shows: 'freshness older', captures: [{ riskType: 'proxy', ageMin: 2 * DAY }] },
  { ip: '192.0.2.20', shows: 'degraded: a source of evidence is out', degraded: true, captures: [{ riskType: 'proxy', ageMin: HOUR }] },
  { ip: '192.0.2.21', shows: 'without a data-processing agreement: no exact times', withoutAgreement: true, captures: [{ riskType: 'proxy', ageMin: HOUR, days: 3 }] },
  { ip: '192.0.2.22', shows: 'a place in China, down to the district', place: SHENZHEN, captures: [] },
  { ip: '192.0.2.23', shows: 'no place: the geo block is left out', place: null, captures: [] },
  { ip: '192.0.2.24', shows: 'a usage code that is not in the list: to be taken as unknown', network: { usage: 'QQQ' }, captures: [] },

  ...RISK_TYPES.map(typeRow),
  { ip: '198.51.100.20', shows: 'signal hosting, never seen', network: HOSTING, captures: [] },
  { ip: '198.51.100.21', shows: 'signal mobile, never seen', network: { usage: 'MOB', mobile: true }, captures: [] },
  { ip: '198.51.100.22', shows: 'signal crawler, never seen', network: { usage: 'IDC', hosting: true, crawler: true }, captures: [] },
  { ip: '198.51.100.30', shows: 'sharing tier T0: a name server', network: { usage: 'DNS' }, captures: [] },
  { ip: '198.51.100.31', shows: 'sharing tier T1: a broadband line', captures: [] },
  { ip: '198.51.100.32', shows: 'sharing tier T2: a university', network: { usage: 'EDU' }, captures: [] },
  { ip: '198.51.100.33', shows: 'sharing tier T3: a Tor exit', network: HOSTING, captures: [{ riskType: 'vpn', ageMin: 40, days: 14, pool: 'sandbox-tor', sharedBy: 'tor' }] },
  { ip: '198.51.100.34', shows: 'sharing tier T3: a private relay, never vpn', network: { usage: 'CDN', relay: true }, captures: [] },
  { ip: '198.51.100.35', shows: 'two resource pools', captures: [{ riskType: 'proxy', ageMin: 20, days: 4, pool: 'sandbox-proxy' }, { riskType: 'hijacked_proxy', ageMin: 45, days: 2, pool: 'sandbox-residential' }] },

  { ip: '2001:db8::1', shows: 'IPv6, never seen', captures: [] },
  { ip: '2001:db8::2', shows: 'IPv6, stale', captures: [{ riskType: 'ipv6_range', ageMin: 30 * DAY, bits: 64 }] },

  { ip: '203.0.113.256', code: 'invalid_ip' },
  { ip: '10.0.0.1', code: 'reserved_ip' },
  { ip: '203.0.113.1', code: 'not_found' },
  { ip: '203.0.113.2', code: 'rate_limited' },
  { ip: '203.0.113.3', code: 'quota_exceeded' },
  { ip: '203.0.113.4', code: 'key_quota_exceeded' },
  { ip: '203.0.113.5', code: 'quota_exceeded_anon', only: 'basic' },
  { ip: '203.0.113.6', code: 'quota_exceeded_ai_agent', only: 'basic' },
  { ip: '203.0.113.7', code: 'key_in_query' },
  { ip: '203.0.113.8', code: 'bad_request', only: 'basic' },
  { ip: '203.0.113.9', code: 'not_ready' },
  { ip: '203.0.113.10', code: 'key_required', only: 'professional' },
  { ip: '203.0.113.11', code: 'invalid_key' },
  { ip: '203.0.113.12', code: 'revoked_key' },
  { ip: '203.0.113.13', code: 'key_expired' },
  { ip: '203.0.113.14', code: 'professional_required', only: 'professional' },
  { ip: '203.0.113.20', code: 'invalid_time', only: 'professional' },
  { ip: '203.0.113.21', code: 'at_out_of_window', only: 'professional' },
  { ip: '203.0.113.22', code: 'history_not_enabled', only: 'professional' },
  { ip: '203.0.113.23', code: 'history_requires_professional', only: 'professional' },
  { ip: '203.0.113.24', code: 'history_unavailable', only: 'professional' },
  { ip: '2001:db8::4', code: 'history_no_ipv6', only: 'professional' },
];
