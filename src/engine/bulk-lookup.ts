import { type AddressColumns, TEXT_KIND } from '../core/ip/address-columns.ts';
import type { LiveEvidence } from './evidence/live-evidence.ts';
import type { GeoImage } from './geo/geo-image.ts';
import type { NetworkRecordFacts } from './geo/network-records.ts';

export interface LocatedAddresses {
  readonly places: Uint32Array;
  readonly placeStarts: Uint32Array;
  readonly placeSizes: Uint32Array;
  readonly networks: Uint32Array;
  readonly captured: Uint8Array;
}

export const locatedColumns = (capacity: number): LocatedAddresses => ({
  places: new Uint32Array(capacity),
  placeStarts: new Uint32Array(capacity),
  placeSizes: new Uint32Array(capacity),
  networks: new Uint32Array(capacity),
  captured: new Uint8Array(capacity),
});

/**
 * Looks up many addresses at once. Each table is asked about all of them before the next table, so that their
 * memory reads overlap.
 */
export class BulkLookup {
  readonly #geo: GeoImage;
  readonly #evidence: LiveEvidence;

  constructor(geo: GeoImage, evidence: LiveEvidence) {
    this.#geo = geo;
    this.#evidence = evidence;
  }

  /**
   * Each record is the same frozen object at every call of a thread. A new table object means that record
   * numbers changed their meaning.
   */
  get networks(): { facts(id: number): NetworkRecordFacts } {
    return this.#geo.networks;
  }

  /** Bytes of the place records (JSON objects in UTF-8), followed by the rest of the image. */
  get placeBytes(): DataView {
    return this.#geo.places.view;
  }

  /**
   * Looks up the addresses in [from, to) and writes from index 0 of the columns. A text that is not an
   * address gets meaningless values.
   */
  locate(addresses: AddressColumns, from: number, to: number, into: LocatedAddresses): void {
    const { places, networks, captured } = into;
    const { place4, network4, networks: records, places: texts } = this.#geo;
    place4.findAll(addresses.w0, from, to, places);
    network4.findAll(addresses.w0, from, to, networks);
    if (addresses.hasIpv6) this.#locate6(addresses, from, to, into);
    for (let i = 0; i < to - from; i++) if (records.isAnycast(networks[i]!)) places[i] = texts.countries[places[i]!]!;
    this.#evidence.markCaptured(addresses, from, to, captured);
    texts.spansOf(places, to - from, into.placeStarts, into.placeSizes);
  }

  #locate6(
    { kinds, w0, w1, w2, w3 }: AddressColumns,
    from: number,
    to: number,
    { places, networks }: LocatedAddresses,
  ): void {
    const { place6, network6 } = this.#geo;
    for (let i = from; i < to; i++) {
      if (kinds[i] !== TEXT_KIND.ipv6) continue;
      places[i - from] = place6.find(w0[i]!, w1[i]!, w2[i]!, w3[i]!);
      networks[i - from] = network6.find(w0[i]!, w1[i]!, w2[i]!, w3[i]!);
    }
  }
}
