import { BEACON_SOURCE_PREFIX } from './beacon.ts';
import { DERIVED_ID } from './derived-capture.ts';

/** Whether the service itself captures under the name of a source: what follows from captures of others, and the exits of beacons. No sender may use it. */
export const isReservedSource = (source: string): boolean => source === DERIVED_ID || source.startsWith(BEACON_SOURCE_PREFIX);
