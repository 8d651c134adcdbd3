import type { Geo } from '../../contract/documents.ts';
import type { Continent } from '../../contract/risk.ts';
import { CONTINENTS } from '../../contract/risk.ts';
import type { CountryRow, DivisionNames } from './divisions.ts';
import { cityCode, type Divisions, plain } from './divisions.ts';
import type { LayerRecord } from './layer-record.ts';

/** A Chinese-made layer (`china`) counts only where it names mainland China. */
export type LayerRole = 'world' | 'china';

/** `zoneAt` must be a pure table lookup. */
export interface PlaceTables {
  readonly divisions: Divisions;
  readonly countries: ReadonlyMap<string, CountryRow>;
  readonly zoneAt: (lat: number, lon: number) => string;
  /**
   * A Chinese-made layer holds all of China, so a range that it lacks there is unknown: a world-wide one
   * would guess.
   */
  readonly chinaIsCovered?: boolean;
}

export type Place = Geo;

interface Said {
  readonly role: LayerRole;
  /** Its owner states where the space is: in China the layer ranks with Chinese-made ones. */
  readonly stated?: boolean;
  /**
   * The layer's city is published only where a second layer names a city of the same province, or where no
   * other layer knows the address.
   */
  readonly needsSecond?: boolean;
  readonly record: LayerRecord;
}

/**
 * Merges the layers' records of one range, most trusted first (decisions 4.11):
 * the first layer with a country decides it; inside that country the first layer with a name decides the
 * place, and later ones may only go deeper while they agree with everything known so far; in China the names
 * are codes, and Chinese-made layers come before world-wide ones in any order. Coordinates come from the
 * first layer that agrees on the city. A layer that asks not to locate the range ends the search for a
 * country.
 * @returns undefined when nothing is known
 */
export function mergePlace(said: readonly Said[], tables: PlaceTables): Place | undefined {
  let country: string | undefined;
  for (const { role, record } of said) {
    if (record.unlocated === true && country === undefined) return undefined;
    if (role === 'world' || record.country === 'CN') country ??= record.country;
  }
  if (country === undefined) return undefined;
  const inside = said.filter(
    ({ role, record }) => record.country === country && (role === 'world' || country === 'CN'),
  );
  const place = country === 'CN' ? placeInChina(inside, tables) : placeElsewhere(inside, country, tables);
  return placeIn(country, place, tables);
}

/** Space announced from many places has only the country that a registry gave it to, and its continent. */
export const countryPlace = (country: string, tables: PlaceTables): Place => placeIn(country, {}, tables);

const isContinent = (value: string | undefined): value is Continent =>
  (CONTINENTS as readonly string[]).includes(value ?? '');

type Writable<T> = { -readonly [K in keyof T]: T[K] };

const placeIn = (country: string, place: Geo, { countries }: PlaceTables): Geo => {
  const continent = countries.get(country)?.[1];
  return { ...(isContinent(continent) && { continent }), country, ...place };
};

/**
 * Takes the file's own code, else derives one from its Chinese or Latin names. A world-wide layer's names
 * lead no deeper than the city.
 */
function chinaCode(record: LayerRecord, divisions: Divisions): string | undefined {
  if (record.adminCode !== undefined && divisions.has(record.adminCode)) return record.adminCode;
  const { region, city, district } = record;
  if (region === undefined) return undefined;
  const areLatin = isLatin(region) && (city === undefined || isLatin(city));
  const code = areLatin ? undefined : divisions.fromChinese(region, city, district);
  return code ?? (isLatin(region) ? divisions.fromLatin(region, city) : undefined);
}

function placeInChina(inside: readonly Said[], { divisions, chinaIsCovered }: PlaceTables): Geo {
  const coded = inside.map(({ role, stated, needsSecond, record }) => ({
    chinese: role === 'china' || stated === true || record.adminCode !== undefined,
    needsSecond: needsSecond === true,
    record,
    code: chinaCode(record, divisions),
  }));
  // Chinese-made layers come first; a world-wide one counts only where none of them knows the province.
  const chinese = coded.filter((layer) => layer.chinese && layer.code !== undefined);
  const deciding =
    chinese.length > 0 || chinaIsCovered === true ? chinese : coded.filter((layer) => layer.code !== undefined);
  let code: string | undefined;
  for (const layer of deciding) code = deeperCode(code, layer.code!);
  const names: DivisionNames | undefined = code === undefined ? undefined : divisions.names(code);
  if (code === undefined || names === undefined) return { tz: 'Asia/Shanghai' };
  if (isAlone(coded, code))
    return {
      subdivision: names.subdivision,
      region: names.region,
      admin_code: `${code.slice(0, 2)}0000`,
      tz: zoneOf(code),
    };
  const city = cityCode(code);
  const agreeing =
    city === undefined
      ? undefined
      : coded.find(
          (layer) => layer.record.point !== undefined && layer.code !== undefined && cityCode(layer.code) === city,
        );
  const point = agreeing?.record.point ?? divisions.centroid(code);
  return { ...names, admin_code: code, tz: zoneOf(code), ...pair(point) };
}

const zoneOf = (code: string): string => (code.startsWith('65') ? 'Asia/Urumqi' : 'Asia/Shanghai');

function isAlone(
  coded: readonly { readonly needsSecond: boolean; readonly code: string | undefined }[],
  code: string,
): boolean {
  const city = cityCode(code);
  if (city === undefined) return false;
  const others = coded.filter((layer) => !layer.needsSecond);
  if (others.length === 0 || others.length === coded.length) return false;
  return !others.some((layer) => layer.code?.slice(0, 2) === code.slice(0, 2) && cityCode(layer.code) !== undefined);
}

function deeperCode(known: string | undefined, next: string): string {
  if (known === undefined || known === next) return next;
  const within =
    next.startsWith(known.replace(/(00)+$/, '')) &&
    known.endsWith('00') &&
    (cityCode(known) === undefined || cityCode(known) === cityCode(next));
  return within ? next : known;
}

function placeElsewhere(inside: readonly Said[], country: string, tables: PlaceTables): Geo {
  const named = inside.map(({ record }) => latinPlace(record));
  // A town's region that its name alone led to gives way to one that another layer states for a town of that name here.
  const isStated = ({ city }: LatinPlace): boolean =>
    named.some(
      (other) =>
        !other.regionFound && other.region !== undefined && other.city !== undefined && !disagree(other.city, city),
    );
  const layers = named.map((layer) =>
    layer.regionFound && isStated(layer) ? { ...layer, region: undefined, point: undefined } : layer,
  );
  let region: string | undefined;
  let city: string | undefined;
  let district: string | undefined;
  for (const layer of layers) {
    if (disagree(region, layer.region) || disagree(city, layer.city)) continue;
    // Two layers can only be compared on a name that both have: a city from one does not go under another's
    // region unless it names that region too.
    if (region !== undefined && layer.region === undefined && city === undefined) continue;
    region ??= layer.region;
    city ??= layer.city;
    if (city !== undefined && layer.city !== undefined) district ??= layer.district;
  }
  const agreeing = layers.filter(
    (layer) =>
      !disagree(region, layer.region) &&
      (city === undefined || (layer.city !== undefined && !disagree(city, layer.city))),
  );
  const located = agreeing.find((layer) => layer.point !== undefined);
  const point = located?.point;
  const zone =
    agreeing.find((layer) => layer.tz !== undefined)?.tz ??
    (point !== undefined && located?.cityNamed ? tables.zoneAt(point[0], point[1]) : undefined);
  const geo: Writable<Geo> = {};
  if (region !== undefined) geo.region = region;
  if (city !== undefined) geo.city = city;
  if (district !== undefined) geo.district = district;
  const tz = zone ?? tables.countries.get(country)?.[2];
  if (tz !== undefined) geo.tz = tz;
  if (point !== undefined) {
    geo.lat = point[0];
    geo.lon = point[1];
  }
  return geo;
}

const disagree = (a: string | undefined, b: string | undefined): boolean =>
  a !== undefined && b !== undefined && a !== b && plain(a) !== plain(b);

const pair = (point: readonly [number, number] | undefined): Pick<Geo, 'lat' | 'lon'> =>
  point === undefined ? {} : { lat: point[0], lon: point[1] };

interface LatinPlace {
  readonly region: string | undefined;
  readonly regionFound: boolean;
  readonly city: string | undefined;
  readonly district: string | undefined;
  readonly point: LayerRecord['point'] | undefined;
  readonly tz: string | undefined;
  readonly cityNamed: boolean;
}

/**
 * Takes Latin names outside China; "City (District)" is split, and geofeeds' ISO 3166-2 region codes are not
 * names.
 */
function latinPlace(record: LayerRecord): LatinPlace {
  const whole = latin(record.city);
  const split = whole?.endsWith(')') ? /^(.*\S) \((.+)\)$/.exec(whole) : null;
  const city = split?.[1] ?? whole;
  return {
    region: latin(record.region),
    regionFound: record.regionFound === true,
    city,
    district: city === undefined ? undefined : (latin(record.district) ?? split?.[2]),
    point: record.point,
    tz: record.tz,
    // In any script: a point of a named city is near it, a point without one may be the middle of a country
    // and gives no time zone.
    cityNamed: record.city !== undefined,
  };
}

const LATIN = /^[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]+$/u;
const isLatin = (name: string): boolean => LATIN.test(name);

function latin(name: string | undefined): string | undefined {
  if (name === undefined || (name[2] === '-' && /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(name))) return undefined;
  let letters = 0;
  for (let i = 0; i < name.length; i++) {
    const code = name.charCodeAt(i);
    // Nearly all names are ASCII, which needs no tables.
    if (code > 127) return /\p{L}/u.test(name) && isLatin(name) ? name : undefined;
    if ((code | 32) >= 97 && (code | 32) <= 122) letters++;
  }
  return letters === 0 ? undefined : name;
}
