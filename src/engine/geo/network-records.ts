import { FLAG_BITS, unpackFlags } from '../../core/place/network-facts.ts';
import { type Image, verifyChecksums } from '../image.ts';
import { AS_NAME_SECTIONS, AsNames } from './as-names.ts';
import type { GeoImage } from './geo-image.ts';

/** Made once per record and thread; the services know this shape as NetworkFacts. */
export interface NetworkRecordFacts {
  readonly json: string | undefined;
  readonly usageType: string | undefined;
  readonly asn: number | undefined;
  readonly hosting: boolean;
  readonly mobile: boolean;
  readonly crawler: boolean;
  readonly relay: boolean;
}

/** RA: AS numbers (0 unknown). RU: number of the usage code in UT. RF: flags. UT: the codes, JSON, '' first. */
export const NETWORK_SECTIONS = ['RA', 'RU', 'RF', 'UT', ...AS_NAME_SECTIONS] as const;

const ANYCAST = 1 << (FLAG_BITS - 1);

/** Network records in columns. The value of each is made once per thread, when it is first asked for. */
export class NetworkRecords {
  readonly asns: Uint32Array;
  readonly usages: Uint8Array;
  readonly flags: Uint8Array;
  readonly usageTypes: readonly unknown[];
  readonly asNames: AsNames;
  readonly #facts: (NetworkRecordFacts | undefined)[];

  constructor(image: Image, name: string) {
    this.asns = image.words32(`${name}RA`);
    this.usages = image.bytes(`${name}RU`);
    this.flags = image.bytes(`${name}RF`);
    const usageTypes = image.json(`${name}UT`);
    this.usageTypes = Array.isArray(usageTypes) ? usageTypes : [];
    this.asNames = new AsNames(image, name);
    this.#facts = new Array(this.asns.length).fill(undefined);
  }

  get count(): number {
    return this.asns.length;
  }

  isAnycast(id: number): boolean {
    return this.flags[id]! >= ANYCAST;
  }

  facts(id: number): NetworkRecordFacts {
    return this.#facts[id] ?? this.#make(id);
  }

  #make(id: number): NetworkRecordFacts {
    const asn = this.asns[id] === 0 ? undefined : this.asns[id];
    const code = this.usageTypes[this.usages[id]!];
    const usageType = typeof code === 'string' && code !== '' ? code : undefined;
    const { anycast: _ofThePlace, ...flags } = unpackFlags(this.flags[id]!);
    const block = { ...(asn !== undefined && { asn }), ...(usageType !== undefined && { usage_type: usageType }) };
    const facts: NetworkRecordFacts = Object.freeze({
      json: asn === undefined && usageType === undefined ? undefined : JSON.stringify(block),
      usageType,
      asn,
      ...flags,
    });
    this.#facts[id] = facts;
    return facts;
  }

  sizeFaults(): readonly string[] {
    const { asns, usages, flags } = this;
    return asns.length === 0 || usages.length !== asns.length || flags.length !== asns.length
      ? ['the columns differ in length']
      : this.asNames.sizeFaults();
  }

  faults(): readonly string[] {
    const faults = [...this.sizeFaults(), ...this.asNames.faults()];
    if (this.usageTypes[0] !== '' || !this.usageTypes.every((code) => typeof code === 'string'))
      faults.push('the usage codes are not a list of texts');
    if (this.asns[0] !== 0 || this.usages[0] !== 0 || this.flags[0] !== 0) faults.push('record 0 says something');
    for (let id = 0; id < this.count && faults.length < 5; id++) {
      if (this.usages[id]! >= this.usageTypes.length)
        faults.push(`record ${id} names usage code ${this.usages[id]} of ${this.usageTypes.length}`);
      if (this.flags[id]! >> FLAG_BITS !== 0) faults.push(`record ${id} has unknown flags`);
    }
    return faults;
  }
}

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
