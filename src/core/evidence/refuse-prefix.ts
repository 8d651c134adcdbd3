import type { Prefix } from '../ip/address.ts';
import { isReserved } from '../ip/special-purpose.ts';

/** Shortest prefix a row may claim; anything wider is a slip, not evidence. */
const MIN_BITS = { 4: 8, 6: 12 } as const;

/** First octets under which IANA registers special-purpose IPv4 blocks; every other one below 224 is public without a search. */
const SPECIAL_OCTETS = new Set([0, 10, 100, 127, 169, 172, 192, 198, 203]);

/** Why a prefix cannot be evidence; undefined when it can. @param keepReserved lists about networks may speak of any space */
export function refusePrefix(prefix: Prefix, keepReserved = false): 'reserved_address' | 'prefix_too_wide' | undefined {
  if (prefix.bits < MIN_BITS[prefix.family]) return 'prefix_too_wide';
  return !keepReserved && isSpecial(prefix) ? 'reserved_address' : undefined;
}

function isSpecial(prefix: Prefix): boolean {
  const octet = prefix.w0 >>> 24;
  return prefix.family === 4 && octet < 224 && !SPECIAL_OCTETS.has(octet) ? false : isReserved(prefix);
}
