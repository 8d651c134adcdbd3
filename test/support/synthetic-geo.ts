import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { addressAfter, lastAddress, parsePrefix } from '../../src/core/ip/prefix.ts';
import type { MergedNetwork } from '../../src/core/place/network-facts.ts';
import { unixMs } from '../../src/core/units.ts';
import type { GeoMeta } from '../../src/engine/geo/geo-image.ts';
import type { RangeSet4, RangeSet6 } from '../../src/engine/ranges/range-set.ts';
import { compileGeo } from './compile-geo.ts';

export interface SyntheticBlock {
  readonly prefix: string;
  readonly place: string;
  readonly network: MergedNetwork;
}

export const NOTHING: MergedNetwork = {
  asn: 0,
  usageType: '',
  hosting: false,
  mobile: false,
  crawler: false,
  relay: false,
  anycast: false,
};

/** No data knows anything outside these blocks: such addresses are not_found. */
export const SYNTHETIC_BLOCKS: readonly SyntheticBlock[] = [
  {
    prefix: '8.8.8.0/24',
    place: '{"continent":"NA","country":"US","tz":"America/Chicago","lat":37.751,"lon":-97.822}',
    network: { ...NOTHING, asn: 15169, usageType: 'DNS', hosting: true },
  },
  {
    prefix: '1.2.0.0/16',
    place: '{"continent":"SA","country":"BR","region":"São Paulo","city":"São Paulo"}',
    network: { ...NOTHING, asn: 64500 },
  },
  { prefix: '5.5.5.0/24', place: '{"continent":"EU","country":"DE"}', network: NOTHING },
  {
    prefix: '13.0.0.0/24',
    place: '{"continent":"EU","country":"CH","city":"Zurich"}',
    network: { ...NOTHING, asn: 64502, anycast: true },
  },
  { prefix: '9.9.9.0/24', place: '', network: { ...NOTHING, asn: 19281, usageType: 'DNS' } },
  { prefix: '11.0.0.0/24', place: '', network: { ...NOTHING, mobile: true } },
  { prefix: '12.0.7.0/24', place: '', network: { ...NOTHING, asn: 64501, usageType: 'DYN' } },
  { prefix: '14.0.0.0/24', place: '', network: { ...NOTHING, asn: 64503, usageType: 'GTW' } },
  {
    prefix: '2001:4860::/32',
    place: '{"continent":"NA","country":"US"}',
    network: { ...NOTHING, asn: 15169, usageType: 'IDC', hosting: true },
  },
];

function rangesOf(
  family: 4 | 6,
  given: readonly SyntheticBlock[],
  ids: readonly number[],
): { readonly starts: number[]; readonly values: number[] } {
  const starts: number[] = family === 4 ? [0] : [0, 0, 0, 0];
  const values: number[] = [0];
  const blocks = given
    .map((block, i) => ({ prefix: parsePrefix(block.prefix)!, id: ids[i]! }))
    .filter(({ prefix }) => prefix.family === family)
    .sort((a, b) => a.prefix.w0 - b.prefix.w0);
  for (const { prefix, id } of blocks) {
    for (const [address, value] of [
      [prefix, id],
      [addressAfter(lastAddress(prefix)), 0],
    ] as const) {
      if (address === undefined) continue;
      if (family === 4) starts.push(address.w0);
      else starts.push(address.w0, address.w1, address.w2, address.w3);
      values.push(value);
    }
  }
  return { starts, values };
}

const ranges4 = (...given: [readonly SyntheticBlock[], readonly number[]]): RangeSet4 => {
  const { starts, values } = rangesOf(4, ...given);
  return { family: 4, count: values.length, starts: Uint32Array.from(starts), ids: Uint32Array.from(values) };
};
const ranges6 = (...given: [readonly SyntheticBlock[], readonly number[]]): RangeSet6 => {
  const { starts, values } = rangesOf(6, ...given);
  return { family: 6, count: values.length, starts: Uint32Array.from(starts), ids: Uint32Array.from(values) };
};

export function syntheticGeo(
  dataVersion = 'synthetic-1',
  sources: GeoMeta['sources'] = [],
  blocks = SYNTHETIC_BLOCKS,
): Uint8Array {
  const placeIds = blocks.map(({ place }, i) => (place === '' ? 0 : i + 1));
  const networkIds = blocks.map(({ network }, i) => (network === NOTHING ? 0 : i + 1));
  return compileGeo({
    meta: { dataVersion, builtAt: unixMs(Date.UTC(2026, 0, 1)), sources },
    place: {
      ranges4: ranges4(blocks, placeIds),
      ranges6: ranges6(blocks, placeIds),
      records: ['', ...blocks.map(({ place }) => place || '{"country":"ZZ"}')],
    },
    network: {
      ranges4: ranges4(blocks, networkIds),
      ranges6: ranges6(blocks, networkIds),
      records: [NOTHING, ...blocks.map(({ network }) => network)],
      asNames: new Map([[15169, 'Google LLC']]),
    },
  });
}

export function writeSyntheticGeo(dataDir: string, ...world: Parameters<typeof syntheticGeo>): void {
  mkdirSync(join(dataDir, 'images'), { recursive: true });
  writeFileSync(join(dataDir, 'images', 'geo.img'), syntheticGeo(...world));
}
