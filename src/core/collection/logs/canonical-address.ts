import { formatAddress } from '../../ip/format-address.ts';
import { parseAnyAddress } from '../../ip/parse-address.ts';

/** Returns undefined for a text that is no address, such as a host name. IPv4-mapped IPv6 becomes IPv4. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAnyAddress(text);
  return address === undefined ? undefined : formatAddress(address);
}
