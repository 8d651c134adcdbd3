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
