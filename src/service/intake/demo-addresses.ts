import type { RiskType } from '../../contract/risk.ts';
import type { NetworkEffect } from '../../core/place/network-list.ts';
import type { Text } from '../../core/texts/chinese.ts';

/**
 * - `ageMin`: the newest sighting is renewed, so the demonstration stays fresh while it runs.
 * - `days`: sightings lie on these days, counted back from the newest one; 1 to 14.
 * - `expired`: the address was sighted once when the folder was made, and is never renewed, so it stays expired.
 */
export interface DemoCapture {
  readonly riskType: RiskType;
  readonly ageMin: number;
  readonly days?: number;
  readonly family?: string;
  readonly pool?: string;
  readonly sharedBy?: 'tor' | 'relay';
  readonly expired?: true;
}

export interface DemoAddress {
  readonly ip: string;
  readonly look: string;
  readonly shows: Exclude<Text, `${string}{${string}`>;
  readonly sightings: readonly DemoCapture[];
  readonly network?: NetworkEffect;
}

// Every address of the demonstration. All evidence about them is invented. They are first addresses of /24
// networks (IPv6: /48 networks) in large, well-known allocations. Such an address rarely belongs to a single
// host, and its place and AS number are real.
// biome-ignore format: a table
export const DEMO_ADDRESSES: readonly DemoAddress[] = [
  { ip: '119.123.64.0', look: '119.123.64.0', shows: 'open proxy seen minutes ago, eight days running: high', network: { usage: 'DYN' },
    sightings: [{ riskType: 'proxy', ageMin: 12, days: 8 }] },
  { ip: '73.202.10.0', look: '73.202.10.0', shows: 'subscriber device in a proxy pool: high, T2, pool', network: { usage: 'DYN' },
    sightings: [{ riskType: 'hijacked_proxy', ageMin: 95, days: 3, pool: 'demo-residential' }] },
  { ip: '183.14.28.0', look: '183.14.28.0', shows: 'redialling broadband line: high', network: { usage: 'DYN' },
    sightings: [{ riskType: 'dialup_pool', ageMin: 150, days: 14, pool: 'demo-redial' }] },
  { ip: '185.220.101.0/24', look: '185.220.101.0', shows: 'Tor exit: medium, T3, pool', network: { usage: 'IDC', hosting: true },
    sightings: [{ riskType: 'vpn', ageMin: 40, days: 14, pool: 'tor', sharedBy: 'tor' }] },
  { ip: '146.70.164.0', look: '146.70.164.0', shows: 'VPN exit on hosting space: medium, T2, pool', network: { usage: 'IDC', hosting: true },
    sightings: [{ riskType: 'vpn', ageMin: 400, days: 14, pool: 'protonvpn' }] },
  { ip: '20.43.64.0/25', look: '20.43.64.0', shows: 'serverless egress: medium', network: { usage: 'IDC', hosting: true },
    sightings: [{ riskType: 'cloud_service', ageMin: 600, days: 14 }] },
  { ip: '47.96.0.0', look: '47.96.0.0', shows: 'cloud-phone farm: high', network: { usage: 'IDC', hosting: true },
    sightings: [{ riskType: 'cloud_phone', ageMin: 30, days: 6, pool: 'demo-cloud-phone' }] },
  { ip: '45.155.205.0', look: '45.155.205.0', shows: 'on three independent threat lists', network: { usage: 'IDC', hosting: true },
    sightings: [{ riskType: 'osint', ageMin: 60, days: 9, family: 'demo-a' }, { riskType: 'osint', ageMin: 300, days: 5, family: 'demo-b' }, { riskType: 'osint', ageMin: 2880, days: 1, family: 'demo-c' }] },
  { ip: '91.240.118.0', look: '91.240.118.0', shows: 'scans honeypots: medium, no signal slug', network: { usage: 'IDC', hosting: true },
    sightings: [{ riskType: 'honeypot_scan', ageMin: 20, days: 4 }] },
  { ip: '218.92.0.0', look: '218.92.0.0', shows: 'guesses passwords at honeypots: high', network: { usage: 'DYN' },
    sightings: [{ riskType: 'honeypot_credential', ageMin: 3, days: 11 }, { riskType: 'honeypot_scan', ageMin: 3, days: 11 }] },
  { ip: '2a0d:5600:44::/64', look: '2a0d:5600:44::1', shows: 'abusive IPv6 /64: medium', sightings: [{ riskType: 'ipv6_range', ageMin: 200, days: 5 }] },
  { ip: '2a0d:5600:45::/48', look: '2a0d:5600:45::1', shows: 'the same for a whole /48: low', sightings: [{ riskType: 'ipv6_range', ageMin: 200, days: 5 }] },
  { ip: '103.152.112.0', look: '103.152.112.0', shows: 'several kinds at once: close to 100', network: { usage: 'IDC', hosting: true },
    sightings: [{ riskType: 'proxy', ageMin: 5, days: 14, pool: 'demo-datacenter' }, { riskType: 'vpn', ageMin: 700, days: 14 }, { riskType: 'osint', ageMin: 90, days: 6, family: 'demo-a' }, { riskType: 'honeypot_scan', ageMin: 1500, days: 2 }] },
  { ip: '1.20.128.0', look: '1.20.128.0', shows: 'proxy a week ago: decayed', sightings: [{ riskType: 'proxy', ageMin: 10_080 }] },
  { ip: '94.23.9.0', look: '94.23.9.0', shows: 'VPN exit at the end of its window: low', network: { usage: 'IDC', hosting: true }, sightings: [{ riskType: 'vpn', ageMin: 42_700 }] },
  { ip: '200.89.128.0', look: '200.89.128.0', shows: 'was a proxy two months ago: stale, 0', sightings: [{ riskType: 'proxy', ageMin: 86_400, expired: true }] },
  { ip: '2405:201:d000::/64', look: '2405:201:d000::1', shows: 'IPv6, was abusive, stale', sightings: [{ riskType: 'ipv6_range', ageMin: 43_200, expired: true }] },
  { ip: '117.136.40.0', look: '117.136.40.0', shows: 'mobile carrier, never seen: none, T3', network: { usage: 'MOB', mobile: true }, sightings: [] },
  { ip: '66.249.64.0', look: '66.249.64.0', shows: 'crawler, never seen: none', network: { usage: 'IDC', crawler: true, hosting: true }, sightings: [] },
  { ip: '104.28.28.0', look: '104.28.28.0', shows: 'private relay egress: never vpn, T3', network: { usage: 'CDN', relay: true }, sightings: [] },
  { ip: '162.159.36.0', look: '162.159.36.0', shows: 'DNS service, never seen: none, T0', network: { usage: 'DNS' }, sightings: [] },
  { ip: '202.112.0.0', look: '202.112.0.0', shows: 'university: none, T2', network: { usage: 'EDU' }, sightings: [] },
];
