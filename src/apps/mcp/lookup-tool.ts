import type { Address } from '../../core/ip/address.ts';
import { findAddresses } from '../../core/ip/find-addresses.ts';
import { parseAddress } from '../../core/ip/parse-address.ts';
import { isReserved } from '../../core/ip/special-purpose.ts';
import { lookupIp } from '../../service/lookup/lookup-ip.ts';
import { Problem } from '../../service/problem.ts';
import type { Exchange } from '../http/exchange.ts';
import { chargeAllowance } from '../http/steps/charge.ts';
import { defineTool, type McpTool, READING, REPORTED, type ToolArguments } from './mcp-tool.ts';

export const IP_ARGUMENT = {
  type: 'string',
  description:
    'One public IPv4 or IPv6 address, for example 8.8.8.8 or 2001:4860:4860::8888; also as texts have it: 8.8.8[.]8, 8.8.8.8:443, 2001:4860:4860::8888%eth0, https://8.8.8.8/path. No network.',
};

export const LOOKUP_TOOL: McpTool = {
  definition: defineTool(
    'ip_risk_lookup',
    'IP risk lookup',
    `Reports for one public IPv4 or IPv6 address whether it ${REPORTED} ${READING}`,
    {
      ip: IP_ARGUMENT,
    },
    ['ip'],
  ),
  read: addressArgument,
  charge: chargeAllowance,
  answer: ({ view, address, at }) => {
    const text = lookupIp(view!, address!, at);
    if (text === undefined) throw new Problem('not_found', { message: 'There is no record for this address.' });
    return { text, degraded: view!.degraded };
  },
};

/** Reads the argument `ip` into the exchange. @returns its fault */
export function addressArgument(exchange: Exchange, given: ToolArguments): Problem | undefined {
  if (given['ip'] === undefined) return new Problem('missing_ip');
  const meant = addressMeant(String(given['ip']));
  if (meant instanceof Problem) return meant;
  exchange.address = meant;
  return undefined;
}

/** Exceeds the longest decorated address; longer text contains more than one. */
const TEXT_MAX = 256;
/** Percent-encoding, or a prefix length: the text is not about one address as people write it. */
const NARROWED = /%[\da-f]{2}|^[^/]*\/\d{1,3}\W*$/i;

/** Returns the only address of an argument, also in the forms that people and reports use (decisions 10.12). */
export function addressMeant(text: string): Address | Problem {
  const parsed = parseAddress(text);
  if (parsed.status === 'ok') return parsed.address;
  if (parsed.status === 'reserved') return new Problem('reserved_ip');
  if (text.length > TEXT_MAX || NARROWED.test(text)) return new Problem('invalid_ip');
  const { addresses, networks } = findAddresses(text);
  const [address, another] = addresses;
  if (networks.length > 0)
    return new Problem('invalid_ip', { message: 'This is a network; name one of its addresses.' });
  if (another !== undefined)
    return new Problem('invalid_ip', { message: 'This holds several addresses; use ip_risk_batch.' });
  if (address === undefined) return new Problem('invalid_ip');
  return isReserved(address) ? new Problem('reserved_ip') : address;
}
