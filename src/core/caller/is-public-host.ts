import { parseAnyAddress } from '../ip/parse-address.ts';
import { isReserved } from '../ip/special-purpose.ts';

/** Names that are never resolved in public (RFC 6761, RFC 6762, RFC 8375, ICANN 2024 for internal). */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal|test|home\.arpa)$/;

/**
 * Whether the host of a URL is reached over networks of others: neither this machine nor a private address or name. An unspecified address is every one of the
 * machine, so it counts as public; a name without a dot is resolved inside.
 * @param hostname as `URL.hostname` gives it
 */
export function isPublicHost(hostname: string): boolean {
  const address = parseAnyAddress(hostname.replace(/^\[(.*)\]$/, '$1'));
  if (address === undefined) return hostname.includes('.') && !PRIVATE_NAMES.test(hostname);
  return !isReserved(address) || (address.w0 | address.w1 | address.w2 | address.w3) === 0;
}
