/** Cost of a prefix against a budget of addresses: an IPv4 prefix its addresses; an IPv6 prefix as the IPv4 prefix of the same standing, so a /64 as one address, a /48 as a /24 and a /32 as a /16. A whole number. */
export const addressCount = (family: 4 | 6, bits: number): number =>
  2 ** (family === 4 ? 32 - bits : Math.ceil(Math.max(0, 64 - bits) / 2));
