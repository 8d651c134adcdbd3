import type { Address } from '../ip/address.ts';
import type { UnixMs } from '../units.ts';

/** Derived kinds are computed from single sightings of an address by own collection. */
export interface OwnCapture {
  readonly address: Address;
  readonly at: UnixMs;
  readonly source: string;
  readonly sender: string;
}
