import type { Address } from '../../ip/address.ts';
import type { NetworkSignals } from '../../risk/network-signals.ts';
import type { UnixMs } from '../../units.ts';

export interface CollectionFacts {
  network(address: Address): NetworkSignals & { readonly asn: number | undefined };
  isKnownGood(address: Address, at: UnixMs): boolean;
}
