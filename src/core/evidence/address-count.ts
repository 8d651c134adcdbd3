/**
 * Returns the cost of a prefix against a budget of addresses, a whole number. An IPv4 prefix costs its
 * addresses. An IPv6 prefix costs as much as a comparable IPv4 prefix: a /64 one address, a /48 a /24, and a
 * /32 a /16.
 */
export const addressCount = (family: 4 | 6, bits: number): number =>
  2 ** (family === 4 ? 32 - bits : Math.ceil(Math.max(0, 64 - bits) / 2));
