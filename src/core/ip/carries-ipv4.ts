/**
 * Returns whether an IPv6 address stands for the IPv4 address in its last 32 bits: IPv4-mapped (RFC 4291), or
 * behind the well-known prefix of NAT64 (RFC 6052). Every reader of addresses takes such an address as its
 * IPv4 address.
 */
export const carriesIpv4 = (w0: number, w1: number, w2: number): boolean =>
  w1 === 0 && ((w0 === 0 && w2 === 0xffff) || (w0 === 0x0064ff9b && w2 === 0));
