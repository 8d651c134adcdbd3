import type { Address } from '../core/ip/address.ts';
import type { GeoImage } from '../engine/geo/geo-image.ts';
import type { LookupView } from './ports.ts';
import type { Judgement } from './summarize-block.ts';

export interface SharedFactsOptions {
  readonly view: Pick<LookupView, 'observations'>;
  /** Places and networks of the view. */
  readonly geo: Pick<GeoImage, 'placeId' | 'placeJson' | 'networkId' | 'places'>;
  /** What the look-up says of an address. */
  readonly judge: (address: Address) => Judgement;
}

/** What a summary counts, asked for once for all addresses of which it is the same: without evidence it follows from country, network and family alone. */
export class SharedFacts {
  readonly #options: SharedFactsOptions;
  /** Place record → number of its country; 0: not asked for yet, or nothing is known. */
  readonly #countries: Uint32Array;
  readonly #numbers = new Map<string, number>();
  /** By country, network and family. */
  readonly #judgements = new Map<number, Judgement>();

  constructor(options: SharedFactsOptions) {
    this.#options = options;
    this.#countries = new Uint32Array(options.geo.places.count);
  }

  of(address: Address): Judgement {
    const { view, geo, judge } = this.#options;
    if (view.observations(address).length > 0) return judge(address);
    const network = 2 * geo.networkId(address) + (address.family === 4 ? 0 : 1);
    const key = this.#country(geo.placeId(address)) * 2 ** 33 + network;
    const known = this.#judgements.get(key);
    if (known !== undefined) return known;
    const judged = judge(address);
    this.#judgements.set(key, judged);
    return judged;
  }

  #country(place: number): number {
    const known = this.#countries[place]!;
    if (known !== 0 || place === 0) return known;
    const { country = '' } = JSON.parse(this.#options.geo.placeJson(place)) as { readonly country?: string };
    const number = this.#numbers.get(country) ?? this.#numbers.size + 1;
    this.#numbers.set(country, number);
    this.#countries[place] = number;
    return number;
  }
}
