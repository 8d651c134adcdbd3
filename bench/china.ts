/**
 * How right the places of mainland IPv4 are, against another database: `node bench/china.ts FILE.ipdb
 * [DATA_FOLDER]`. The merge of the layers in use is laid over the file (IPDB with Chinese names), and space
 * is counted where the file names a province or a city. The other database is not ground truth: these are
 * shares of agreement. The curve says what naming more cities would cost: where a layer needs a second one,
 * by what that says about the address.
 */

import { readFileSync } from 'node:fs';
import { findLayers } from '../src/adapters/layers/find-layers.ts';
import { findNetworkLists } from '../src/adapters/layers/find-network-lists.ts';
import type { LayerFile } from '../src/adapters/layers/layer-file.ts';
import { readFamily } from '../src/adapters/layers/read-family.ts';
import { readIpdb } from '../src/adapters/layers/read-ipdb.ts';
import { placeTables } from '../src/adapters/layers/tables.ts';
import type { Geo } from '../src/contract/documents.ts';
import { cityCode } from '../src/core/place/divisions.ts';
import type { LayerRecord } from '../src/core/place/layer-record.ts';
import type { RangeSet } from '../src/engine/ranges/range-set.ts';
import { packedText } from '../src/engine/record-texts.ts';

const [, , file, dataDir = '/nonexistent'] = process.argv;
if (file === undefined) throw new Error('usage: node bench/china.ts FILE.ipdb [DATA_FOLDER]');
const { divisions } = placeTables();
const codeOf = (record: LayerRecord | undefined): string | undefined =>
  record?.country === 'CN' && record.region !== undefined
    ? divisions.fromChinese(record.region, record.city, record.district)
    : undefined;
const other = readIpdb(file, readFileSync(file), 4);
const otherCodes = other.records.map(codeOf);
const { layers } = findLayers(dataDir);
const { lists } = findNetworkLists(dataDir);

interface Places {
  readonly ranges: RangeSet;
  readonly placeOf: (id: number) => Geo;
}

function placesOf(from: readonly LayerFile[]): Places {
  const request = { family: 4, layers: from, lists, place: true, network: false } as const;
  const { ranges, records } = readFamily(request, () => {}).place!;
  const known = new Map<number, Geo>();
  const placeOf = (id: number): Geo =>
    known.get(id) ?? known.set(id, JSON.parse(packedText(records, id) || '{}') as Geo).get(id)!;
  return { ranges, placeOf };
}

/** Space in addresses. */
const space = { province: 0, provinceKnown: 0, provinceSame: 0, city: 0, cityKnown: 0, citySame: 0 };
function count(code: string, { admin_code, city }: Geo, size: number): void {
  const theirs = cityCode(code);
  space.province += size;
  if (theirs !== undefined) space.city += size;
  if (admin_code === undefined) return;
  space.provinceKnown += size;
  if (admin_code.slice(0, 2) === code.slice(0, 2)) space.provinceSame += size;
  if (theirs === undefined || city === undefined) return;
  space.cityKnown += size;
  if (cityCode(admin_code) === theirs) space.citySame += size;
}

/** The second layer says one of these where one that needs it names a city, in the order of the curve. */
const SAID = ['the same city', 'another city of the province', 'the province', 'another province or nothing'] as const;
const curve = SAID.map(() => ({ named: 0, same: 0 }));
function countCity(code: string, alone: Geo, second: Geo, size: number): void {
  const [city, theirs] = [cityCode(alone.admin_code ?? ''), cityCode(second.admin_code ?? '')];
  if (cityCode(code) === undefined || alone.city === undefined || city === undefined) return;
  const inProvince = second.admin_code?.slice(0, 2) === city.slice(0, 2);
  const point = curve[theirs === city ? 0 : !inProvince ? 3 : theirs === undefined ? 2 : 1]!;
  point.named += size;
  if (city === cityCode(code)) point.same += size;
}

const places = [
  placesOf(layers),
  placesOf(layers.filter((layer) => layer.needsSecond).map(({ needsSecond: _, ...layer }) => layer)),
  placesOf(layers.filter((layer) => !layer.needsSecond && layer.gives !== 'network')),
];
const sets = [other.v4!, ...places.map(({ ranges }) => ranges)];
const at = sets.map(() => 0);
const endOf = (set: RangeSet, k: number): number => (at[k]! + 1 < set.count ? set.starts[at[k]! + 1]! : 2 ** 32);
for (let from = 0; from < 2 ** 32; ) {
  const end = Math.min(...sets.map(endOf));
  const code = otherCodes[other.v4!.ids[at[0]!]!];
  if (code !== undefined) {
    const [merged, alone, second] = places.map(({ ranges, placeOf }, k) => placeOf(ranges.ids[at[k + 1]!]!));
    count(code, merged!, end - from);
    countCity(code, alone!, second!, end - from);
  }
  for (const [k, set] of sets.entries()) if (endOf(set, k) === end) at[k]!++;
  from = end;
}
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
process.stdout.write(`province: known for ${percent(space.provinceKnown, space.province)} of ${(space.province / 1e6).toFixed(1)} M addresses, the same for ${percent(space.provinceSame, space.provinceKnown)}
city: known for ${percent(space.cityKnown, space.city)} of ${(space.city / 1e6).toFixed(1)} M addresses, the same for ${percent(space.citySame, space.cityKnown)}
named where the second layer says               its share  the same   all so far  the same
`);
let [named, same] = [0, 0];
for (const [i, point] of curve.entries()) {
  [named, same] = [named + point.named, same + point.same];
  const figures = [
    percent(point.named, space.city),
    percent(point.same, point.named),
    percent(named, space.city),
    percent(same, named),
  ];
  process.stdout.write(`${SAID[i]!.padEnd(48)}${figures.map((figure) => figure.padStart(9)).join('  ')}\n`);
}
