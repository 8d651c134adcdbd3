import type { Address } from '../../core/ip/address.ts';
import { compareAddresses } from '../../core/ip/prefix.ts';
import type { UnixMs } from '../../core/units.ts';
import { Image, type ImageBuffer, ImageError, type SectionInput } from '../image.ts';
import { RangeTable4 } from '../ranges/range-table4.ts';
import { RangeTable6 } from '../ranges/range-table6.ts';
import { RECORD_SECTIONS, RecordTexts } from '../record-texts.ts';
import { type NetworkRecordFacts, NetworkRecords } from './network-records.ts';

/** RC: number of the record that holds only the country of a record. */
export const PLACE_SECTIONS = [...RECORD_SECTIONS, 'RC'] as const;

export class PlaceRecords extends RecordTexts {
  readonly countries: Uint32Array;

  constructor(image: Image, name: string) {
    super(image, name);
    this.countries = image.words32(`${name}RC`);
  }

  override sizeFaults(): readonly string[] {
    return this.countries.length === this.count ? super.sizeFaults() : ['the columns differ in length'];
  }

  override faults(): readonly string[] {
    const { countries } = this;
    const wrong = countries.findIndex((country) => country >= this.count || countries[country] !== country);
    return wrong < 0 ? super.faults() : [`the country of record ${wrong} is not a record of a country`];
  }
}

export const PLACE = 'PL';
export const NETWORK = 'NW';
export type GeoTable = typeof PLACE | typeof NETWORK;

export interface GeoSource {
  readonly id: string;
  readonly version: string;
  readonly licence?: string;
  readonly attribution?: string;
}

/**
 * Free-form facts about the file; `extra` holds facts for the compiler, such as a fingerprint of its inputs.
 */
export interface GeoMeta {
  readonly dataVersion: string;
  readonly builtAt: UnixMs;
  readonly sources: readonly GeoSource[];
  readonly extra?: Readonly<Record<string, string | number>>;
}

export interface EncodedTables {
  readonly sections: readonly SectionInput[];
}

/**
 * An opened geo image: place and network of every address. Lookups of ids allocate nothing; values come from
 * per-thread caches.
 */
export class GeoImage {
  readonly image: Image;
  readonly meta: GeoMeta;
  readonly place4: RangeTable4;
  readonly place6: RangeTable6;
  readonly places: PlaceRecords;
  readonly network4: RangeTable4;
  readonly network6: RangeTable6;
  readonly networks: NetworkRecords;

  constructor(image: Image) {
    this.image = image;
    this.meta = readMeta(image.json('META'));
    this.place4 = new RangeTable4(image, PLACE);
    this.place6 = new RangeTable6(image, PLACE);
    this.places = new PlaceRecords(image, PLACE);
    this.network4 = new RangeTable4(image, NETWORK);
    this.network6 = new RangeTable6(image, NETWORK);
    this.networks = new NetworkRecords(image, NETWORK);
    const fault = [this.place4, this.place6, this.places, this.network4, this.network6, this.networks].flatMap((part) =>
      part.sizeFaults(),
    )[0];
    if (fault !== undefined) throw new ImageError(fault);
  }

  /** 0 means that nothing is known. In anycast space a place record has the country alone. */
  placeId(address: Address): number {
    const id =
      address.family === 4
        ? this.place4.find(address.w0)
        : this.place6.find(address.w0, address.w1, address.w2, address.w3);
    return id !== 0 && this.networks.isAnycast(this.networkId(address)) ? this.places.countries[id]! : id;
  }

  placeJson(id: number): string {
    return this.places.text(id);
  }

  networkId(address: Address): number {
    return address.family === 4
      ? this.network4.find(address.w0)
      : this.network6.find(address.w0, address.w1, address.w2, address.w3);
  }

  /**
   * Returns the last address up to which the network record of an address certainly holds; `placeReach` does
   * so for places.
   */
  networkReach(address: Address): Address {
    return address.family === 4
      ? { ...address, w0: this.network4.lastAlike(address.w0) }
      : this.network6.lastAlike(address);
  }

  placeReach(address: Address): Address {
    const network = this.networkReach(address);
    const place =
      address.family === 4 ? { ...address, w0: this.place4.lastAlike(address.w0) } : this.place6.lastAlike(address);
    return compareAddresses(place, network) < 0 ? place : network;
  }

  /**
   * Returns the registered name of an AS number. It is shown to people only: documents carry no operator's
   * name (decisions 10.11).
   */
  asName(asn: number): string | undefined {
    return this.networks.asNames.of(asn);
  }

  networkFacts(id: number): NetworkRecordFacts {
    return this.networks.facts(id);
  }
}

/** Checks everything that keeps lookups inside their tables; `verifyGeo` checks the rest. */
export function openGeo(buffer: ImageBuffer): GeoImage {
  return new GeoImage(new Image(buffer, 'geo'));
}

function readMeta(value: unknown): GeoMeta {
  const meta = value as Partial<GeoMeta> | null;
  if (
    typeof meta !== 'object' ||
    meta === null ||
    typeof meta.dataVersion !== 'string' ||
    typeof meta.builtAt !== 'number' ||
    !Array.isArray(meta.sources)
  )
    throw new ImageError('its metadata is incomplete');
  return meta as GeoMeta;
}
