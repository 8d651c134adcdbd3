export interface SourceFigures {
  readonly on: string;
  /** It names what this source alone gives. A list that verifies an assistant has none, because its family names it. */
  readonly gives?: string;
  readonly alone?: number;
  readonly paceMin?: number;
}

const NO_COPY = 'never: no copy of any day could be had';

export const SOURCE_FIGURES: Readonly<Record<string, SourceFigures>> = {
  'iplocate-proxies': { on: '2026-08-22', alone: 0.87, paceMin: 32 },
  'monosans-proxies': { on: '2026-08-22', alone: 0.26 },
  'stormsia-proxies': { on: '2026-08-22', alone: 0.19, paceMin: 15 },
  'avastel-proxies': { on: '2026-08-22', alone: 0.83, paceMin: 1440 },
  'avastel-1day': { on: '2025-11-12', alone: 0.97, paceMin: 1440 },
  'avastel-neighbours': { on: '2025-11-22', paceMin: 1440, gives: '26 to 28 % of the proxies of the next day' },
  'tor-nodes': { on: '2026-08-22', alone: 0.59, paceMin: 66 },
  'x4bnet-vpn-4': { on: '2026-08-22', alone: 0.55, paceMin: 1405 },
  'x4bnet-vpn-6': { on: '2026-08-22', alone: 1 },
  protonvpn: { on: '2026-08-22', alone: 0.12, paceMin: 1442, gives: 'medium in place of low' },
  tunnelbear: { on: '2026-08-22', alone: 0.85, paceMin: 719 },
  'shadowwhisperer-tunnels': { on: '2026-08-22', alone: 0.67 },
  mullvad: { on: '2026-08-21', alone: 0.39, gives: 'medium in place of low' },
  ivpn: { on: 'never: no copy with addresses could be had', gives: 'medium in place of low' },
  pia: { on: '2026-08-22', alone: 0.43, gives: 'medium in place of low' },
  nordvpn: { on: 'never: no copy newer than March 2024 could be had', gives: 'medium in place of low' },
  airvpn: { on: '2026-08-22', alone: 0.71 },
  ovpn: { on: NO_COPY, gives: 'medium' },
  riseup: { on: NO_COPY, gives: 'medium' },
  surfshark: { on: '2025-04-23', alone: 0.41 },
  azirevpn: { on: '2026-08-22', alone: 1 },
  windscribe: { on: '2026-08-22', alone: 0.49, paceMin: 1439 },
  threatfox: { on: '2026-08-22', alone: 0.97, paceMin: 62 },
  ipsum: { on: '2026-08-22', alone: 0.02, gives: 'medium in place of low' },
  feodo: {
    on: 'never: no copy of any day could be had; two of its headers are of March 2026',
    gives: 'botnet command servers',
  },
  'spamhaus-drop-4': { on: '2025-11-12', alone: 0.99 },
  'spamhaus-drop-6': { on: NO_COPY, gives: 'hijacked networks of IPv6' },
  'blocklist-de': { on: NO_COPY, gives: 'reports of mail and web servers' },
  cins: { on: '2025-11-12', alone: 0.98 },
  greensnow: { on: '2025-11-12', alone: 0.5 },
  'data-shield': { on: '2026-08-22', alone: 0.78, paceMin: 120 },
  'shadowwhisperer-scanners': { on: '2026-08-22', alone: 0.82 },
  'shadowwhisperer-threats': { on: '2026-08-22', alone: 0.08, gives: '0.5 points of SIP attackers' },
  'shadowwhisperer-probes': { on: '2026-08-22', alone: 0.88 },
  'azure-appservice': { on: '2026-08-22', alone: 0, gives: 'cloud_service, which no other list has' },
  'hexydec-crawlers': { on: '2026-08-22', paceMin: 1443, gives: 'crawlers of operators without an own row' },
  'hexydec-datacentres': { on: '2026-08-22', alone: 0, paceMin: 1442, gives: 'countries of regions' },
  'x4bnet-datacenter-4': {
    on: '2026-08-22',
    alone: 0.02,
    paceMin: 1392,
    gives: '17 % of the hosting addresses with evidence',
  },
  'x4bnet-datacenter-6': { on: '2026-08-22', alone: 0.35 },
  ipcat: { on: '2026-08-22', alone: 0.06, paceMin: 2872 },
  'anycast-4': { on: '2026-08-22', paceMin: 533, gives: '43 % of known anycast /24s' },
  'anycast-6': { on: '2026-08-22', paceMin: 533, gives: 'anycast of IPv6' },
  'apple-private-relay': { on: NO_COPY, gives: 'people behind relays are not vpn' },
  aws: { on: '2026-08-22', alone: 0, gives: 'places by region' },
  azure: { on: '2025-07-22', alone: 0, gives: 'places by region' },
  gcp: { on: NO_COPY, gives: 'places by region' },
  'oracle-cloud': { on: NO_COPY, gives: 'places by region' },
  digitalocean: { on: NO_COPY, gives: 'places' },
  linode: { on: NO_COPY, gives: 'places' },
  vultr: { on: NO_COPY, gives: 'places' },
  bunny: { on: '2026-08-11', alone: 0.13, gives: 'CDN in place of IDC' },
  'rir-unallocated': { on: NO_COPY, gives: 'UND' },
  'rir-delegated': { on: NO_COPY, gives: 'AUR' },
};
