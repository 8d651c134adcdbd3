/** IPv4 stands in `w0`. One shape for both families keeps prefix arithmetic the same. */
export interface Address {
  readonly family: 4 | 6;
  readonly w0: number;
  readonly w1: number;
  readonly w2: number;
  readonly w3: number;
}

/** The words past `bits` are 0. `bits` is 0..32 for IPv4, 0..128 for IPv6. */
export interface Prefix extends Address {
  readonly bits: number;
}

/**
 * Returns whether an IPv6 address stands for the IPv4 address in its last 32 bits: IPv4-mapped (RFC 4291), or
 * behind the well-known prefix of NAT64 (RFC 6052). Every reader of addresses takes such an address as its
 * IPv4 address.
 */
export const carriesIpv4 = (w0: number, w1: number, w2: number): boolean =>
  w1 === 0 && ((w0 === 0 && w2 === 0xffff) || (w0 === 0x0064ff9b && w2 === 0));
