import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parsePrefix } from '../../src/core/ip/prefix.ts';
import { countryCode } from '../../src/core/place/country-code.ts';
import { plain } from '../../src/core/place/divisions.ts';
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
}

/** @param folder geofeeds (RFC 8805) that networks publish about themselves; the first address of a row is asked */
export const measurePlaces = (places: Places, folder: string): readonly PlacesReport[] =>
  readdirSync(folder)
    .sort()
    .flatMap((file) =>
      ([4, 6] as const).map((family) => reportOf(places, file.replace(/\.\w+$/, ''), join(folder, file), family)),
    )
    .filter(({ rows }) => rows > 0);

function reportOf(places: Places, name: string, path: string, family: 4 | 6): PlacesReport {
  const count = { rows: 0, countryRight: 0, countryWrong: 0, towns: 0, townRight: 0 };
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const [network = '', country = '', , city = ''] = line.split(',').map((cell) => cell.trim());
    const prefix = parsePrefix(network);
    const stated = countryCode(country);
    if (prefix?.family !== family || stated === undefined) continue;
    const said = places.place(prefix);
    count.rows++;
    if (said.country === stated) count.countryRight++;
    else if (said.country !== undefined) count.countryWrong++;
    if (city === '') continue;
    count.towns++;
    if (said.city !== undefined && plain(said.city) === plain(city)) count.townRight++;
  }
  return { name, family, ...count };
}
