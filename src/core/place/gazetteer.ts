import { upperMedian } from '../units.ts';
import { plain } from './divisions.ts';
import type { LayerRecord } from './layer-record.ts';

/** Latin names of first-level areas by ISO 3166-2 code. */
export type SubdivisionNames = ReadonlyMap<string, string>;

interface Town {
  readonly region: string | undefined;
  readonly city: string;
  readonly lats: number[];
  readonly lons: number[];
  weight: number;
  /** Median of its records, left out until it is asked for. */
  middle?: readonly [number, number];
}

/**
 * Finds towns by name in the records of a layer that has coordinates, and completes the records of one that has none
 * (RFC 8805).
 */
export class Gazetteer {
  readonly #subdivisions: SubdivisionNames;
  readonly #towns = new Map<string, Town[]>();
  readonly #regions = new Set<string>();

  /** @param incomplete records to complete; only their towns are kept */
  constructor(subdivisions: SubdivisionNames, incomplete: Iterable<LayerRecord>) {
    this.#subdivisions = subdivisions;
    for (const { country, city } of incomplete)
      if (country !== undefined && city !== undefined) this.#towns.set(townKey(country, city), []);
  }

  /** @param weight IPv4 addresses, or IPv6 networks, that the layer has there: they tell a large town from its namesakes */
  add({ country, region, city, point }: LayerRecord, weight: number): void {
    if (country === undefined || city === undefined || point === undefined) return;
    if (region !== undefined && !this.#regions.has(`${country} ${region}`)) {
      this.#regions.add(`${country} ${region}`);
      this.#regions.add(`${country} ${plain(region)}`);
    }
    const bare = city.endsWith(')') ? city.replace(/ \(.*\)$/, '') : city;
    const towns = this.#towns.get(townKey(country, bare));
    if (towns === undefined) return;
    let town = towns.find((one) => one.region === region);
    if (town === undefined) {
      town = { region, city: bare, lats: [], lons: [], weight: 0 };
      towns.push(town);
    }
    town.lats.push(point[0]);
    town.lons.push(point[1]);
    town.weight += weight;
    delete town.middle;
  }

  /** The record with the name of its region, and with its town's spelling, region and coordinates where it is found. */
  complete(record: LayerRecord): LayerRecord {
    if (!isIncomplete(record)) return record;
    const { country, city } = record;
    const { region: stated, ...rest } = record;
    const region = stated === undefined ? undefined : this.#regionName(stated);
    const town = city === undefined ? undefined : this.#find(country!, city, region);
    const asWritten = { ...rest, ...(region !== undefined && { region }) };
    if (town === undefined) return city === undefined ? asWritten : { ...asWritten, city: withoutCapitals(city) };
    return {
      ...asWritten,
      ...(town.region !== undefined && { region: town.region, ...(stated === undefined && { regionFound: true }) }),
      city: town.city,
      point: middleOf(town),
    };
  }

  #regionName(stated: string): string {
    return this.#subdivisions.get(stated.toUpperCase()) ?? stated;
  }

  /**
   * Takes the town of the stated region, else the one that a name means. Towns of one name near each other are one: a
   * city that lies in several regions.
   */
  #find(country: string, city: string, region: string | undefined): Town | undefined {
    const towns = this.#towns.get(townKey(country, city)) ?? [];
    const there = region === undefined ? undefined : towns.find((town) => plain(town.region ?? '') === plain(region));
    const [most] = towns.toSorted((a, b) => b.weight - a.weight);
    if (there !== undefined || most === undefined) return there;
    const isKnown = region !== undefined && this.#regions.has(`${country} ${plain(region)}`);
    if (isKnown && most.region !== undefined) return undefined;
    const sum = (some: readonly Town[]): number => some.reduce((all, town) => all + town.weight, 0);
    const isClear = sum(towns.filter((town) => isNear(town, most))) >= MEANT_SHARE * sum(towns);
    return isClear ? most : undefined;
  }
}

/** Share of the weight of a name that its town must have to be meant where no known region is stated. */
const MEANT_SHARE = 0.9;
const NEAR_DEGREES = 0.5;

function isNear(a: Town, b: Town): boolean {
  const [lat, lon] = middleOf(a);
  const [otherLat, otherLon] = middleOf(b);
  return Math.abs(lat - otherLat) < NEAR_DEGREES && Math.abs(lon - otherLon) < NEAR_DEGREES;
}

const middleOf = (town: Town): readonly [number, number] =>
  (town.middle ??= [upperMedian(town.lats), upperMedian(town.lons)]);

export const isIncomplete = ({ country, region, city, point }: LayerRecord): boolean =>
  country !== undefined && point === undefined && (region !== undefined || city !== undefined);

const EXONYMS: Readonly<Record<string, string>> = {
  athina: 'athens',
  bangalore: 'bengaluru',
  beograd: 'belgrade',
  bruxelles: 'brussels',
  bucuresti: 'bucharest',
  ciudaddemexico: 'mexico',
  firenze: 'florence',
  geneve: 'geneva',
  genova: 'genoa',
  goteborg: 'gothenburg',
  kiev: 'kyiv',
  kobenhavn: 'copenhagen',
  koln: 'cologne',
  lisboa: 'lisbon',
  milano: 'milan',
  moskva: 'moscow',
  munchen: 'munich',
  napoli: 'naples',
  nurnberg: 'nuremberg',
  praha: 'prague',
  roma: 'rome',
  sevilla: 'seville',
  torino: 'turin',
  venezia: 'venice',
  warszawa: 'warsaw',
  washingtondc: 'washington',
  wien: 'vienna',
};

/** Names differ in "City", "Saint", a river, and what follows a slash or stands in brackets. */
function townKey(country: string, city: string): string {
  const name = /^[A-Za-z]{4,}( [A-Za-z]{4,})?$/.test(city) ? city.replace(' ', '').toLowerCase() : plainTown(city);
  const short = name.length > 6 ? name.replace(/city$/, '') : name;
  return `${country} ${EXONYMS[short] ?? short}`;
}

function plainTown(city: string): string {
  const bare = city.replace(/ ?[(/].*$/, '').replace(/[ -](am|an der|ob der|upon|sur)[ -].*$/, '');
  return plain(bare.replace(/\b(st|ste)\b\.?/gi, 'saint'));
}

/** Some publishers write every name in capitals. */
const withoutCapitals = (name: string): string =>
  /^[A-Z][A-Z .'-]{3,}$/.test(name)
    ? name.toLowerCase().replace(/(?<![a-z'])[a-z]/g, (letter) => letter.toUpperCase())
    : name;
