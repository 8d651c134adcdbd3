import { parseAnyAddress } from '../ip/parse-address.ts';
import { isReserved } from '../ip/special-purpose.ts';

/** These names are never resolved in public (RFC 6761, RFC 6762, RFC 8375; ICANN 2024 for `internal`). */
const PRIVATE_NAMES = /(^|\.)(localhost|local|internal|test|home\.arpa)$/;

/**
 * Returns whether a URL's host is reached over foreign networks, which excludes this machine and private
 * addresses or names.
 * An unspecified address means all addresses of the machine, so it is public. A name without a dot is
 * private.
 * @param hostname as in `URL.hostname`
 */
export function isPublicHost(hostname: string): boolean {
  const address = parseAnyAddress(hostname.replace(/^\[(.*)\]$/, '$1'));
  if (address === undefined) return hostname.includes('.') && !PRIVATE_NAMES.test(hostname);
  return !isReserved(address) || (address.w0 | address.w1 | address.w2 | address.w3) === 0;
}

export function isPublicHttp(baseUrl: string): boolean {
  const { protocol, hostname } = new URL(baseUrl);
  return protocol === 'http:' && isPublicHost(hostname);
}
