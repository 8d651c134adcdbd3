import type { Address } from '../ip/address.ts';
import type { UnixMs } from '../units.ts';

/** One address seen by own collection at one moment; derived kinds are computed from these. */
export interface OwnCapture {
  readonly address: Address;
  readonly at: UnixMs;
  readonly source: string;
  /** Id of the key that delivered it; empty for none. */
  readonly sender: string;
}
