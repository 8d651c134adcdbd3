import type { Observation } from '../core/evidence/capture.ts';
import type { Address } from '../core/ip/address.ts';
import type { LiveEvidence } from './evidence/live-evidence.ts';
import type { GeoImage } from './geo/geo-image.ts';
import type { NetworkRecordFacts } from './geo/network-records.ts';

/** One thread's look-up data at one moment, in the shape the services ask for (`LookupView` in service/ports.ts). */
export interface EngineView {
  readonly dataVersion: { readonly risk: string; readonly geo: string };
  readonly degraded: boolean;
  geoJson(address: Address): string | undefined;
  network(address: Address): NetworkRecordFacts;
  observations(address: Address): readonly Observation[];
}

/**
 * Joins an image of places and networks with live evidence. Cheap: make a new one whenever either is replaced, a delta was applied or `degraded` changes.
 * @param degraded true while a source store is unavailable or a source is past its bound
 */
export function createDataView(geo: GeoImage, evidence: LiveEvidence, degraded: boolean): EngineView {
  return {
    dataVersion: Object.freeze({ risk: evidence.dataVersion, geo: geo.meta.dataVersion }),
    degraded,
    geoJson: (address) => {
      const id = geo.placeId(address);
      return id === 0 ? undefined : geo.placeJson(id);
    },
    network: (address) => geo.networkFacts(geo.networkId(address)),
    observations: (address) => evidence.observations(address),
  };
}
