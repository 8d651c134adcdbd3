import type { Tool } from '@modelcontextprotocol/server';

export const TOOL_NAME = 'ip_risk_lookup';

/**
 * The one tool. It has no output schema on purpose: the text block is the contract, and a schema of an open document would make every new key a failure in
 * clients that check it.
 */
export const TOOL: Tool = {
  name: TOOL_NAME,
  title: 'IP risk look-up',
  description:
    'Reports for one public IPv4 or IPv6 address whether it is now seen as proxy, VPN, dial-up pool, hijacked relay, cloud egress, cloud phone, crawler, threat-listed, ' +
    'datacenter or mobile space, how fresh that evidence is, and its network and place. Read evidence_state before risk.score: "none" means never seen, which means no ' +
    'information and is not a statement of safety; "stale" means evidence existed and has expired; "active" means fresh evidence is being scored. The score (0 to 100) ' +
    'is freshness and strength of evidence, not a probability of harm. Verdicts are for the moment of computed_at: look up again at decision time instead of reusing one. ' +
    'Do not call it for private or reserved addresses. A failed call returns {"error":{"code",…}}; branch on the code, and honour retry_after (seconds).',
  inputSchema: {
    type: 'object',
    properties: {
      ip: { type: 'string', description: 'One public IPv4 or IPv6 address, without port, prefix length or zone, for example 198.51.100.7 or 2001:db8::1.' },
    },
    required: ['ip'],
    additionalProperties: false,
  },
  annotations: { title: 'IP risk look-up', readOnlyHint: true, openWorldHint: true },
};

export const INSTRUCTIONS =
  'Use ip_risk_lookup when a decision depends on what an IP address is right now. The text block is one JSON document. evidence_state "none" means no information; ' +
  'never report it as safe. When a call fails with a 429-type code, tell the user the next_step given there.';
