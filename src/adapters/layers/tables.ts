import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type CountryRow, Divisions, type DivisionTable } from '../../core/place/divisions.ts';
import type { SubdivisionNames } from '../../core/place/gazetteer.ts';
import type { PlaceTables } from '../../core/place/merge-place.ts';

const require = createRequire(import.meta.url);

const textOf = (name: string): string => readFileSync(new URL(`../../../data/${name}.json`, import.meta.url), 'utf8');

export function shippedTable<T>(name: string): T {
  return JSON.parse(textOf(name)) as T;
}

/** Images are fingerprinted in this order. */
export const placeTableTexts = (): readonly string[] => ['gb2260', 'countries', 'subdivisions'].map(textOf);

/** The code in these folders of `src` decides the content of an image of places and networks. */
const RULES = ['core/place', 'service/compile', 'adapters/layers'];

/**
 * The digest covers some forty files: an image that other rules made is built again, without a number to
 * raise.
 */
export function rulesDigest(src: string): string {
  const hash = createHash('sha256');
  for (const folder of RULES)
    for (const name of readdirSync(join(src, folder), { recursive: true, encoding: 'utf8' }).sort())
      if (name.endsWith('.ts') && !name.endsWith('.test.ts')) hash.update(readFileSync(join(src, folder, name)));
  return hash.digest('hex');
}

export function subdivisionNames(): SubdivisionNames {
  const { subdivisions } = shippedTable<{ subdivisions: Record<string, Record<string, string>> }>('subdivisions');
  return new Map(
    Object.entries(subdivisions).flatMap(([country, parts]) =>
      Object.entries(parts).map(([part, name]) => [`${country}-${part}`, name] as const),
    ),
  );
}

export function placeTables(): PlaceTables {
  const { countries } = shippedTable<{ countries: readonly CountryRow[] }>('countries');
  return {
    divisions: new Divisions(shippedTable<DivisionTable>('gb2260')),
    countries: new Map(countries.map((row) => [row[0], row])),
    zoneAt: require('@photostructure/tz-lookup') as (lat: number, lon: number) => string,
  };
}
