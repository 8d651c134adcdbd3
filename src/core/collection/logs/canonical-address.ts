import { formatAddress } from '../../ip/format-address.ts';
import { parseAnyAddress } from '../../ip/parse-address.ts';

/**
 * Returns the address in canonical form; undefined for other texts, such as a host name. IPv4-mapped IPv6
 * becomes IPv4.
 */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAnyAddress(text);
  return address === undefined ? undefined : formatAddress(address);
}
