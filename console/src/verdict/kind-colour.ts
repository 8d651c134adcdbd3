import type { RiskType } from '../../../src/contract/risk.ts';

const COLOURS: Readonly<Record<RiskType, string>> = {
  proxy: 'red',
  vpn: 'indigo',
  dialup_pool: 'orange',
  hijacked_proxy: 'pink',
  cloud_service: 'cyan',
  cloud_phone: 'teal',
  osint: 'yellow',
  honeypot_scan: 'grape',
  honeypot_credential: 'violet',
  ipv6_range: 'lime',
};

/** The colour of a kind of evidence, wherever kinds stand side by side. */
export const kindColour = (type: RiskType): string => `var(--mantine-color-${COLOURS[type]}-6)`;
