import { formatAddress } from '../../ip/format-address.ts';
import { parseAnyAddress } from '../../ip/parse-address.ts';

/** The address in its canonical form; undefined for other texts, such as a host name. IPv4 in IPv6 is IPv4. */
export function canonicalAddress(text: string): string | undefined {
  const address = parseAnyAddress(text);
  return address === undefined ? undefined : formatAddress(address);
}
