import { verifyChecksums } from '../image.ts';
import type { GeoImage } from './geo-image.ts';

/**
 * Checks a geo image in full: checksums, strictly rising starts, ids that exist, texts that are JSON objects, indices that agree with what they index.
 * @returns the faults found, none for a sound file
 */
export function verifyGeo(geo: GeoImage): readonly string[] {
  const damaged = verifyChecksums(geo.image);
  if (damaged.length > 0) return damaged;
  const named = (part: string, faults: readonly string[]): readonly string[] => faults.map((fault) => `${part}: ${fault}`);
  return [
    ...named('place IPv4', geo.place4.faults(geo.places.count)),
    ...named('place IPv6', geo.place6.faults(geo.places.count)),
    ...named('place records', geo.places.faults()),
    ...named('network IPv4', geo.network4.faults(geo.networks.count)),
    ...named('network IPv6', geo.network6.faults(geo.networks.count)),
    ...named('network records', geo.networks.faults()),
  ];
}
