/** Output of the programs of docs/examples.md, by the heading. */
export const PRINTED: Readonly<Record<string, string>> = {
  'one-address': 'none 0',
  'with-evidence': '65 T2\nvpn within_2h 2026-11-02T07:00:57.250Z',
  'a-batch': '8.8.8.8 0\n10.0.0.1 reserved_ip\n8.8.8 invalid_ip',
  'a-phone-number': 'true high',
  'refusals-and-limits': 'refused: rate_limited',
  'the-sandbox': '192.0.2.1 none 0\n192.0.2.2 stale 0\n192.0.2.4 active 65\n192.0.2.5 active 90',
  'sending-evidence': '1 accepted {}',
};
