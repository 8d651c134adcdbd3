import type { Observation } from '../core/evidence/observation.ts';
import type { Address } from '../core/ip/address.ts';
import type { Protection } from '../core/risk/known-good.ts';
import { BulkLookup } from './bulk-lookup.ts';
import type { LiveEvidence } from './evidence/live-evidence.ts';
import type { GeoImage } from './geo/geo-image.ts';
import type { NetworkRecordFacts } from './geo/network-records.ts';

/**
 * One thread's view of all lookup data at one moment. A request takes it once and uses it to its end, so a swap never mixes two generations.
 * - `protection`: caps the scores of known-good addresses; undefined protects nothing.
 * - `geoJson`: JSON text of the geo block; undefined when nothing is known.
 * - `observations`: live captures of image and overlay, equal to `HistoryStore.observationsAt(address, now)`. Empty
 *   when never seen.
 * - `captured`: absent, as is `bulk`, where single addresses are looked up.
 */
export interface LookupView {
  readonly dataVersion: { readonly risk: string; readonly geo: string };
  readonly degraded: boolean;
  readonly protection: Protection | undefined;
  geoJson(address: Address): string | undefined;
  network(address: Address): NetworkRecordFacts;
  observations(address: Address): readonly Observation[];
  readonly captured?: Pick<LiveEvidence, 'hostsWithin' | 'rangesWithin'>;
  readonly bulk?: BulkLookup;
}

export function createDataView(
  geo: GeoImage,
  evidence: LiveEvidence,
  degraded: boolean,
  protection?: Protection,
): LookupView {
  return {
    dataVersion: Object.freeze({ risk: evidence.dataVersion, geo: geo.meta.dataVersion }),
    degraded,
    protection,
    geoJson: (address) => {
      const id = geo.placeId(address);
      return id === 0 ? undefined : geo.placeJson(id);
    },
    network: (address) => geo.networkFacts(geo.networkId(address)),
    observations: (address) => evidence.observations(address),
    captured: evidence,
    bulk: new BulkLookup(geo, evidence),
  };
}
