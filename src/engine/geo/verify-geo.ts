import { verifyChecksums } from '../image.ts';
import type { GeoImage } from './geo-image.ts';

/** Checks that are independent, so that several threads can share the work. */
export const GEO_CHECKS = [
  'checksums',
  'place IPv4',
  'place IPv6',
  'place records',
  'network IPv4',
  'network IPv6',
  'network records',
] as const;
export type GeoCheck = (typeof GEO_CHECKS)[number];

/** @param checks the checks to run, all by default */
export function verifyGeo(geo: GeoImage, checks: readonly GeoCheck[] = GEO_CHECKS): readonly string[] {
  const faults: string[] = [];
  for (const check of checks) {
    faults.push(...CHECKS[check](geo).map((fault) => (check === 'checksums' ? fault : `${check}: ${fault}`)));
    // Damaged bytes would only give meaningless further faults.
    if (check === 'checksums' && faults.length > 0) break;
  }
  return faults;
}

const recordsOf =
  ({ count }: { readonly count: number }) =>
  (id: number): string | undefined =>
    id < count ? undefined : `record ${id} of ${count}`;

const CHECKS: Readonly<Record<GeoCheck, (geo: GeoImage) => readonly string[]>> = {
  checksums: (geo) => verifyChecksums(geo.image),
  'place IPv4': (geo) => geo.place4.faults(recordsOf(geo.places)),
  'place IPv6': (geo) => geo.place6.faults(recordsOf(geo.places)),
  'place records': (geo) => geo.places.faults(),
  'network IPv4': (geo) => geo.network4.faults(recordsOf(geo.networks)),
  'network IPv6': (geo) => geo.network6.faults(recordsOf(geo.networks)),
  'network records': (geo) => geo.networks.faults(),
};
