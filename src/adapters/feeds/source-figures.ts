/** The last measurement of a scheduled source (bench/accuracy.ts). */
export interface SourceFigures {
  /** UTC date of the content that was measured, or `never` and why. */
  readonly on: string;
  /** Share of its entries that no other family knew. */
  readonly alone?: number;
  /** Median minutes between two of its versions. */
  readonly paceMin?: number;
}

export const SOURCE_FIGURES: Readonly<Record<string, SourceFigures>> = {
  'iplocate-proxies': { on: '2026-08-22', alone: 0.87, paceMin: 32 },
  'monosans-proxies': { on: '2026-08-22', alone: 0.26 },
  'stormsia-proxies': { on: '2026-08-22', alone: 0.19, paceMin: 15 },
  'avastel-proxies': { on: '2026-08-22', alone: 0.83, paceMin: 1440 },
  'avastel-1day': { on: '2025-11-12', alone: 0.97, paceMin: 1440 },
  'avastel-neighbours': { on: '2025-11-22', paceMin: 1440 },
  'tor-onionoo': { on: 'never: no copy of any day could be had' },
  'tor-nodes': { on: '2026-08-22', alone: 0.59, paceMin: 66 },
  'x4bnet-vpn-4': { on: '2026-08-22', alone: 0.55, paceMin: 1405 },
  'x4bnet-vpn-6': { on: '2026-08-22', alone: 1 },
  protonvpn: { on: '2026-08-22', alone: 0.12, paceMin: 1442 },
  tunnelbear: { on: '2026-08-22', alone: 0.85, paceMin: 719 },
  'shadowwhisperer-tunnels': { on: '2026-08-22', alone: 0.67 },
  mullvad: { on: 'never: no copy of any day could be had' },
  ivpn: { on: 'never: no copy of any day could be had' },
  pia: { on: 'never: no copy of any day could be had' },
  nordvpn: { on: 'never: no copy of any day could be had' },
  airvpn: { on: 'never: no copy of any day could be had' },
  windscribe: { on: '2026-08-22', alone: 0.49, paceMin: 1439 },
  threatfox: { on: '2026-08-22', alone: 0.97, paceMin: 62 },
  ipsum: { on: '2026-08-22', alone: 0.02 },
  feodo: { on: 'never: no copy of any day could be had' },
  'spamhaus-drop-4': { on: '2025-11-12', alone: 0.99 },
  'spamhaus-drop-6': { on: 'never: no copy of any day could be had' },
  'blocklist-de': { on: 'never: no copy of any day could be had' },
  cins: { on: '2025-11-12', alone: 0.98 },
  greensnow: { on: '2025-11-12', alone: 0.5 },
  'data-shield': { on: '2026-08-22', alone: 0.78, paceMin: 120 },
  'shadowwhisperer-scanners': { on: '2026-08-22', alone: 0.82 },
  'shadowwhisperer-threats': { on: '2026-08-22', alone: 0.08 },
  'shadowwhisperer-probes': { on: '2026-08-22', alone: 0.88 },
  'azure-appservice': { on: '2026-08-22', alone: 0 },
  'hexydec-crawlers': { on: '2026-08-22', paceMin: 1443 },
  'hexydec-datacentres': { on: '2026-08-22', paceMin: 1442 },
  'x4bnet-datacenter-4': { on: '2026-08-22', paceMin: 1201 },
  ipcat: { on: '2026-08-22', paceMin: 2872 },
  'anycast-4': { on: '2026-08-22', paceMin: 533 },
  'anycast-6': { on: '2026-08-22', paceMin: 533 },
};
