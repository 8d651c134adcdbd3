import type { Address } from './address.ts';

const RDAP = {
  arin: 'https://rdap.arin.net/registry/ip/',
  ripe: 'https://rdap.db.ripe.net/ip/',
  apnic: 'https://rdap.apnic.net/ip/',
  lacnic: 'https://rdap.lacnic.net/rdap/ip/',
  afrinic: 'https://rdap.afrinic.net/rdap/ip/',
} as const;
type Registry = keyof typeof RDAP;

/** First octets by registry (IANA, "IPv4 Address Space"); ARIN has the others. */
const OCTETS: Readonly<Record<Exclude<Registry, 'arin'>, readonly (number | readonly [from: number, to: number])[]>> = {
  ripe: [
    2,
    5,
    25,
    31,
    37,
    46,
    51,
    53,
    57,
    62,
    [77, 95],
    109,
    141,
    145,
    151,
    176,
    178,
    185,
    188,
    [193, 195],
    212,
    213,
    217,
  ],
  apnic: [
    1,
    14,
    27,
    36,
    39,
    42,
    43,
    49,
    [58, 61],
    101,
    103,
    106,
    [110, 126],
    133,
    150,
    153,
    163,
    171,
    175,
    180,
    182,
    183,
    202,
    203,
    210,
    211,
    [218, 223],
  ],
  lacnic: [177, 179, 181, 186, 187, [189, 191], 200, 201],
  afrinic: [41, 102, 105, 154, 196, 197],
};
/** First 12 bits of IPv6 by registry (IANA, "IPv6 Global Unicast Address Assignments"). */
const BITS_12: Readonly<Record<number, Registry>> = {
  576: 'apnic',
  577: 'apnic',
  640: 'lacnic',
  672: 'ripe',
  673: 'ripe',
  704: 'afrinic',
};

/**
 * Returns the address's entry at its regional registry, as RDAP (RFC 9082). A registry answers about space that
 * moved to another one with a redirect there.
 */
export function registryLink(address: Address, text: string): string {
  return RDAP[address.family === 4 ? registryOf(address.w0 >>> 24) : (BITS_12[address.w0 >>> 20] ?? 'arin')] + text;
}

function registryOf(octet: number): Registry {
  for (const [registry, octets] of Object.entries(OCTETS))
    if (octets.some((one) => (typeof one === 'number' ? one === octet : one[0] <= octet && octet <= one[1])))
      return registry as Registry;
  return 'arin';
}
