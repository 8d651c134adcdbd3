import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLayers } from '../../src/adapters/layers/find-layers.ts';
import { readLayer } from '../../src/adapters/layers/read-layer.ts';
import { subdivisionNames } from '../../src/adapters/layers/tables.ts';
import { splitRow } from '../../src/core/csv/split-row.ts';
import type { Prefix } from '../../src/core/ip/address.ts';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { plain } from '../../src/core/place/divisions.ts';
import { Gazetteer } from '../../src/core/place/gazetteer.ts';
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
  /** Rows whose town has known coordinates, those of them that are answered with some, and those far from it. */
  readonly located: number;
  readonly answered: number;
  readonly far: number;
}

interface Row {
  readonly prefix: Prefix;
  readonly stated: LayerRecord;
}

const FAR_KM = 500;

/** @param folder geofeeds (RFC 8805) that networks publish about themselves; the first address of a row is asked */
export function measurePlaces(places: Places, folder: string): readonly PlacesReport[] {
  const feeds = readdirSync(folder)
    .sort()
    .map((file) => ({ name: file.replace(/\.\w+$/, ''), rows: rowsOf(join(folder, file)) }));
  const gazetteer = worldGazetteer(feeds.flatMap(({ rows }) => rows.map(({ stated }) => stated)));
  return feeds
    .flatMap(({ name, rows }) => ([4, 6] as const).map((family) => reportOf(places, gazetteer, name, family, rows)))
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

/** Towns as the world-wide layer has them. */
function worldGazetteer(wanted: readonly LayerRecord[]): Gazetteer {
  const gazetteer = new Gazetteer(subdivisionNames(), wanted);
  const world = findLayers('').layers.find(({ id }) => id === 'dbip')!;
  for (const { records } of readLayer(world, 'both').parts)
    for (const record of records) if (record !== undefined) gazetteer.add(record);
  return gazetteer;
}

function reportOf(
  places: Places,
  gazetteer: Gazetteer,
  name: string,
  family: 4 | 6,
  rows: readonly Row[],
): PlacesReport {
  const count = { rows: 0, countryRight: 0, countryWrong: 0, towns: 0, townRight: 0, located: 0, answered: 0, far: 0 };
  for (const { prefix, stated } of rows) {
    if (prefix.family !== family) continue;
    const said = places.place(prefix);
    count.rows++;
    if (said.country === stated.country) count.countryRight++;
    else if (said.country !== undefined) count.countryWrong++;
    if (stated.city === undefined) continue;
    count.towns++;
    const { city, point } = gazetteer.complete(stated);
    if (said.city !== undefined && [stated.city, city!].some((town) => plain(town) === plain(said.city!)))
      count.townRight++;
    if (point === undefined) continue;
    count.located++;
    if (said.lat === undefined || said.lon === undefined) continue;
    count.answered++;
    if (distanceKm([said.lat, said.lon], point) > FAR_KM) count.far++;
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
