/**
 * How right the places of mainland IPv4 are, against another database: `node bench/china.ts FILE.ipdb
 * [DATA_FOLDER]`. The merge of the layers in use is laid over the file (IPDB with Chinese names), and space
 * is counted where the file names a province or a city. The other database is not ground truth: these are
 * shares of agreement.
 */

import { readFileSync } from 'node:fs';
import { findLayers } from '../src/adapters/layers/find-layers.ts';
import { findNetworkLists } from '../src/adapters/layers/find-network-lists.ts';
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

const { ranges, records } = readFamily({ family: 4, layers, lists, place: true, network: false }, () => {}).place!;
const known = new Map<number, Geo>();
const placeOf = (id: number): Geo =>
  known.get(id) ?? known.set(id, JSON.parse(packedText(records, id) || '{}') as Geo).get(id)!;

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

const sets = [other.v4!, ranges];
const at = sets.map(() => 0);
const endOf = (set: RangeSet, k: number): number => (at[k]! + 1 < set.count ? set.starts[at[k]! + 1]! : 2 ** 32);
for (let from = 0; from < 2 ** 32; ) {
  const end = Math.min(...sets.map(endOf));
  const code = otherCodes[other.v4!.ids[at[0]!]!];
  if (code !== undefined) count(code, placeOf(ranges.ids[at[1]!]!), end - from);
  for (const [k, set] of sets.entries()) if (endOf(set, k) === end) at[k]!++;
  from = end;
}
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(1)} %`;
process.stdout.write(`province: known for ${percent(space.provinceKnown, space.province)} of ${(space.province / 1e6).toFixed(1)} M addresses, the same for ${percent(space.provinceSame, space.provinceKnown)}
city: known for ${percent(space.cityKnown, space.city)} of ${(space.city / 1e6).toFixed(1)} M addresses, the same for ${percent(space.citySame, space.cityKnown)}
`);
