import type { Address } from '../ip/address.ts';
import type { UnixMs } from '../units.ts';

/** One address, seen by own collection at one moment: the base of derived kinds. */
export interface OwnCapture {
  readonly address: Address;
  readonly at: UnixMs;
  /** Id of the source that captured it. */
  readonly source: string;
  /** Id of the key that brought it; '' = none */
  readonly sender: string;
}
