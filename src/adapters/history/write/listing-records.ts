import type { Address } from '../../../core/ip/address.ts';
import type { UnixMs } from '../../../core/units.ts';
import type { Catalogue, Series } from '../read/catalogue.ts';
import { PrefixRecords, type SentObservation } from '../read/prefix-records.ts';

/** `at` and `lastAt` are as in `SeriesFold.take`. */
export interface ListingRecord {
  readonly kind: number;
  readonly track: number;
  readonly at: number;
  readonly lastAt: number | null;
}

export const proxySeries = (catalogue: Catalogue): readonly number[] =>
  [...catalogue.tracks.values()].filter((series) => !series.presence && listsProxies(series)).map(({ id }) => id);

const listsProxies = ({ riskType, source }: Series): boolean =>
  riskType === 'proxy' || (riskType === 'hijacked_proxy' && source.mode === 'listing');

export class ListingRecords {
  readonly #catalogue: Catalogue;
  readonly #records = new Map<string, ListingRecord[]>();

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  add(address: Address, record: ListingRecord): void {
    const key = addressKey(address);
    const known = this.#records.get(key);
    if (known === undefined) this.#records.set(key, [record]);
    else known.push(record);
  }

  has(address: Address): boolean {
    return this.#records.has(addressKey(address));
  }

  at(address: Address, at: UnixMs): readonly SentObservation[] {
    const records = this.#records.get(addressKey(address))?.filter((record) => record.at <= at);
    if (records === undefined || records.length === 0) return NOTHING;
    const folded = new PrefixRecords(this.#catalogue, at);
    for (const { kind, track, at: first, lastAt } of records) folded.take(kind, track, first, lastAt);
    return folded.sentObservations(address.family === 4 ? 32 : 128);
  }
}

const NOTHING: readonly SentObservation[] = [];

export const addressKey = ({ family, w0, w1, w2, w3 }: Address): string => `${family} ${w0} ${w1} ${w2} ${w3}`;
