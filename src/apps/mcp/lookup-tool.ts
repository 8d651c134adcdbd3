import { parseAddress } from '../../core/ip/parse-address.ts';
import { lookupIp } from '../../service/lookup/lookup-ip.ts';
import { Problem } from '../../service/problem.ts';
import { chargeAllowance } from '../http/steps/charge.ts';
import { type McpTool, READING, REPORTED } from './mcp-tool.ts';

/** No output schema on purpose: of an open document it would make every new key a failure in clients. */
export const LOOKUP_TOOL: McpTool = {
  definition: {
    name: 'ip_risk_lookup',
    title: 'IP risk look-up',
    description: `Reports for one public IPv4 or IPv6 address whether it ${REPORTED} ${READING}`,
    inputSchema: {
      type: 'object',
      properties: {
        ip: {
          type: 'string',
          description:
            'One public IPv4 or IPv6 address, without port, prefix length or zone, for example 198.51.100.7 or 2001:db8::1.',
        },
      },
      required: ['ip'],
      additionalProperties: false,
    },
    annotations: { title: 'IP risk look-up', readOnlyHint: true, openWorldHint: true },
  },
  misuse: (given) => {
    for (const key of Object.keys(given)) if (key !== 'ip') return 'The only argument is ip.';
    return given['ip'] === undefined || typeof given['ip'] === 'string'
      ? undefined
      : 'The argument ip must be a string.';
  },
  read: (exchange, given) => {
    if (given['ip'] === undefined) return new Problem('missing_ip');
    const parsed = parseAddress(String(given['ip']));
    if (parsed.status !== 'ok') return new Problem(parsed.status === 'reserved' ? 'reserved_ip' : 'invalid_ip');
    exchange.address = parsed.address;
    return undefined;
  },
  charge: chargeAllowance,
  answer: ({ view, address, at }) => {
    const text = lookupIp(view!, address!, at);
    if (text === undefined) throw new Problem('not_found', { message: 'There is no record for this address.' });
    return { text, degraded: view!.degraded };
  },
};
