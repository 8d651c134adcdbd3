import type { MergedNetwork } from '../../src/core/place/network-facts.ts';
import { encodeNetworkRecords, encodePlaceRecords, encodeTable } from '../../src/engine/geo/encode-tables.ts';
import { type EncodedTables, type GeoMeta, NETWORK, PLACE } from '../../src/engine/geo/geo-image.ts';
import { buildImage, jsonSection } from '../../src/engine/image.ts';
import type { RangeSet4, RangeSet6 } from '../../src/engine/ranges/range-set.ts';
import type { PackedTexts } from '../../src/engine/record-texts.ts';

interface Tables<Records> {
  readonly ranges4: RangeSet4;
  readonly ranges6: RangeSet6;
  readonly records: Records;
}

export type PlaceTables = Tables<readonly string[] | PackedTexts>;
export type NetworkTables = Tables<readonly MergedNetwork[]> & { readonly asNames?: ReadonlyMap<number, string> };

export interface GeoInput {
  readonly meta: GeoMeta;
  readonly place: PlaceTables | EncodedTables;
  readonly network: NetworkTables | EncodedTables;
}

/** Compiles a geo image in memory; the service makes its image part by part. */
export function compileGeo({ meta, place, network }: GeoInput): Uint8Array<ArrayBuffer> {
  const sections = [jsonSection('META', meta)];
  if ('sections' in place) sections.push(...place.sections);
  else {
    const texts = 'offsets' in place.records ? place.records : packTexts(place.records);
    for (const ranges of [place.ranges4, place.ranges6])
      sections.push(...encodeTable(PLACE, ranges, texts.offsets.length - 1));
    sections.push(...encodePlaceRecords(texts));
  }
  if ('sections' in network) sections.push(...network.sections);
  else {
    const { ranges4, ranges6, records, asNames = new Map() } = network;
    const encoded = encodeNetworkRecords(records, asNames);
    for (const ranges of [ranges4, ranges6]) sections.push(...encodeTable(NETWORK, ranges, records.length));
    sections.push(...encoded);
  }
  return buildImage('geo', sections);
}

export function packTexts(records: readonly string[]): PackedTexts {
  const texts = records.map((text) => Buffer.from(text));
  let used = 0;
  const offsets = Uint32Array.from(texts, (bytes, i) => {
    const at = used;
    used += bytes.length;
    return bytes.length === records[i]!.length ? at : at + 0x8000_0000;
  });
  return { offsets: Uint32Array.from([...offsets, used]), bytes: new Uint8Array(Buffer.concat(texts)) };
}
