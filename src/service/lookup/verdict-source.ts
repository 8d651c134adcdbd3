import type { AddressAt } from '../../core/enrich/gathered-suffixes.ts';

export interface VerdictSource {
  /** Returns documents in the order of the addresses: bodies of the lookup, or `{ip, error: {code}}`. */
  verdictsOf(addresses: readonly AddressAt[]): Promise<readonly object[]>;
}
