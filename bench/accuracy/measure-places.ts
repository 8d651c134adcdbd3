import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { splitRow } from '../../src/core/csv/split-row.ts';
import type { Prefix } from '../../src/core/ip/address.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { plain } from '../../src/core/place/divisions.ts';
import { type LayerRecord, layerRecord } from '../../src/core/place/layer-record.ts';
import type { Places } from './judge.ts';

/** Counts of right answers about the prefixes of one geofeed, in a row for each family. */
export interface PlacesReport {
  readonly name: string;
  readonly family: 4 | 6;
  readonly rows: number;
  readonly countryRight: number;
  readonly countryWrong: number;
  /** Rows that name a town, and those of them whose town is the same. */
  readonly towns: number;
  readonly townRight: number;
  /** Rows whose town the table of towns has once, those of them that are answered with some, and those far from it. */
  readonly located: number;
  readonly answered: number;
  readonly far: number;
}

interface Row {
  readonly prefix: Prefix;
  readonly stated: LayerRecord;
}

const FAR_KM = 500;

interface Town {
  readonly names: ReadonlySet<string>;
  readonly area: string;
  readonly point: readonly [number, number];
}

/** By country and each of their names. */
type Towns = ReadonlyMap<string, readonly Town[]>;

/**
 * @param folder geofeeds (RFC 8805) that networks publish about themselves; the first address of a row is asked
 * @param file towns with coordinates as GeoNames publishes them (`cities500.txt`): a table that no answer is made of
 */
export function measurePlaces(places: Places, folder: string, file: string): readonly PlacesReport[] {
  const towns = townsOf(file);
  return readdirSync(folder)
    .sort()
    .map((name) => ({ name: name.replace(/\.\w+$/, ''), rows: rowsOf(join(folder, name)) }))
    .flatMap(({ name, rows }) => ([4, 6] as const).map((family) => reportOf(places, towns, name, family, rows)))
    .filter(({ rows }) => rows > 0);
}

function rowsOf(path: string): readonly Row[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [network = '', country, region, city] = splitRow(line);
      const prefix = parsePrefix(network);
      const stated = layerRecord({ country, region, city });
      return prefix === undefined || stated?.country === undefined ? [] : [{ prefix, stated }];
    });
}

function townsOf(file: string): Towns {
  const towns = new Map<string, Town[]>();
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, name = '', ascii = '', others = '', lat, lon, , , country, , area = ''] = line.split('\t');
    if (country === undefined) continue;
    const names = new Set([name, ascii, ...others.split(',')].map(plain).filter((one) => one !== ''));
    const town: Town = { names, area: `${country}-${area}`, point: [Number(lat), Number(lon)] };
    for (const one of names) towns.set(`${country} ${one}`, [...(towns.get(`${country} ${one}`) ?? []), town]);
  }
  return towns;
}

/** GeoNames has the codes of ISO 3166-2 for areas of the United States alone; else towns of a name have to be near each other. */
function townMeant(towns: Towns, { country, region, city }: LayerRecord): Town | undefined {
  const named = towns.get(`${country} ${plain(city!)}`) ?? [];
  const there = country === 'US' && region !== undefined ? named.filter(({ area }) => area === region) : named;
  return there.every(({ point }) => distanceKm(point, there[0]!.point) < FAR_KM / 2) ? there[0] : undefined;
}

function reportOf(places: Places, towns: Towns, name: string, family: 4 | 6, rows: readonly Row[]): PlacesReport {
  const count = { rows: 0, countryRight: 0, countryWrong: 0, towns: 0, townRight: 0, located: 0, answered: 0, far: 0 };
  for (const { prefix, stated } of rows) {
    if (prefix.family !== family) continue;
    const said = places.place(prefix);
    count.rows++;
    if (said.country === stated.country) count.countryRight++;
    else if (said.country !== undefined) count.countryWrong++;
    if (stated.city === undefined) continue;
    count.towns++;
    const town = townMeant(towns, stated);
    if (said.city !== undefined && (plain(said.city) === plain(stated.city) || town?.names.has(plain(said.city))))
      count.townRight++;
    if (town === undefined) continue;
    count.located++;
    if (said.lat === undefined || said.lon === undefined) continue;
    count.answered++;
    if (distanceKm([said.lat, said.lon], town.point) > FAR_KM) count.far++;
  }
  return { name, family, ...count };
}

const EARTH_KM = 6371;

function distanceKm(a: readonly [number, number], b: readonly [number, number]): number {
  const [fromLat, fromLon, toLat, toLon] = [...a, ...b].map((degrees) => (degrees * Math.PI) / 180) as [
    number,
    number,
    number,
    number,
  ];
  const chord =
    Math.sin((toLat - fromLat) / 2) ** 2 + Math.cos(fromLat) * Math.cos(toLat) * Math.sin((toLon - fromLon) / 2) ** 2;
  return 2 * EARTH_KM * Math.asin(Math.sqrt(chord));
}
