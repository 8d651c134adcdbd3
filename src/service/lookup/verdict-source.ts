import type { Address } from '../../core/ip/address.ts';

/** Verdicts that take time: of the past, or of a server. */
export interface VerdictSource {
  /** Documents of addresses in their order: bodies of the look-up, or `{ip, error: {code}}`. */
  verdictsOf(addresses: readonly Address[]): Promise<readonly object[]>;
}
