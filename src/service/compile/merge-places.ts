import { GEO_KEYS } from '../../core/fields/field-path.ts';
import { Gazetteer, isIncomplete, type SubdivisionNames } from '../../core/place/gazetteer.ts';
import type { LayerRecord } from '../../core/place/layer-record.ts';
import {
  countryPlace,
  type LayerRole,
  type PlaceTables as MergeTables,
  mergePlace,
  type Place,
} from '../../core/place/merge-place.ts';
import { type NetworkList, setsPlace } from '../../core/place/network-list.ts';
import type { RangeSet } from '../../engine/ranges/range-set.ts';
import { sumByRecord } from '../../engine/ranges/sum-by-record.ts';
import { sweepRanges } from '../../engine/ranges/sweep-ranges.ts';
import { type PackedTexts, TextPacker } from '../../engine/record-texts.ts';
import { listRanges } from './own-space.ts';

/** `stated` and `needsSecond` mean the same as for `mergePlace`; a layer with the latter covers all of China. */
export interface LayerPart {
  readonly role: LayerRole;
  readonly stated?: boolean;
  readonly needsSecond?: boolean;
  readonly ranges: RangeSet;
  readonly records: readonly (LayerRecord | undefined)[];
}

/**
 * Merges places of layers, most trusted first, into one partition. A list that decides a place takes
 * precedence over all layers; other anycast space gets the country alone.
 */
export function mergePlaces(
  family: 4 | 6,
  layers: readonly LayerPart[],
  lists: readonly NetworkList[],
  tables: MergeTables,
): { readonly ranges: RangeSet; readonly records: PackedTexts } {
  const records = new TextPacker(layers.reduce((most, layer) => Math.max(most, layer.records.length), 0));
  const deciding = lists.filter(setsPlace);
  const merging = { ...tables, chinaIsCovered: layers.some(({ needsSecond }) => needsSecond) };
  const sets = [...layers.map((layer) => layer.ranges), listRanges(family, deciding)];
  const ranges = sweepRanges(family, sets, (ids) => {
    const decided = deciding[ids[layers.length]! - 1]?.effect;
    if (decided?.specialPurpose === true) return 0;
    const known =
      decided?.country === undefined ? placeOf(layers, ids, merging) : countryPlace(decided.country, tables);
    return known === undefined ? 0 : packPlace(records, known);
  });
  return { ranges, records: records.finish() };
}

function placeOf(layers: readonly LayerPart[], ids: Uint32Array, tables: MergeTables): Place | undefined {
  const said: Parameters<typeof mergePlace>[0][number][] = [];
  for (let i = 0; i < layers.length; i++) {
    const { role, stated, needsSecond, records } = layers[i]!;
    const record = records[ids[i]!];
    if (record !== undefined) said.push({ role, stated: stated === true, needsSecond: needsSecond === true, record });
  }
  return said.length === 0 ? undefined : mergePlace(said, tables);
}

const HEADS = GEO_KEYS.map((key) => new TextEncoder().encode(`,"${key}":`));
const OPEN_HEADS = GEO_KEYS.map((key) => new TextEncoder().encode(`{"${key}":`));
const CLOSE = new TextEncoder().encode('}');

/** Packs the text of `JSON.stringify` for a place. @returns the text's number; 0 for an empty place */
export function packPlace(texts: TextPacker, place: Place): number {
  let heads = OPEN_HEADS;
  for (let i = 0; i < GEO_KEYS.length; i++) {
    const value = place[GEO_KEYS[i]!];
    if (value === undefined) continue;
    texts.ascii(heads[i]!);
    heads = HEADS;
    if (typeof value === 'string') texts.quoted(value);
    else texts.decimal(value);
  }
  if (heads === HEADS) texts.ascii(CLOSE);
  return texts.end();
}

/**
 * Gives the places of world-wide layers without coordinates, such as geofeeds, the names of their regions and the
 * coordinates of their towns, as the other layers have them.
 */
export function completePlaces(layers: readonly LayerPart[], subdivisions: SubdivisionNames): readonly LayerPart[] {
  const isPartial = ({ role, records }: LayerPart): boolean =>
    role === 'world' && records.some((record) => record !== undefined && isIncomplete(record));
  const partial = new Set(layers.filter(isPartial));
  if (partial.size === 0) return layers;
  const incomplete = [...partial].flatMap(({ records }) => records.filter((record) => record !== undefined));
  const gazetteer = new Gazetteer(subdivisions, incomplete.filter(isIncomplete));
  for (const { role, records, ranges } of layers) {
    if (role !== 'world') continue;
    // Sizes of IPv6 networks say nothing of their towns.
    const weights = sumByRecord(ranges, records.length, ranges.family === 6 ? () => 1 : undefined);
    for (const [id, record] of records.entries()) if (record !== undefined) gazetteer.add(record, weights[id]!);
  }
  return layers.map((part) =>
    partial.has(part) ? { ...part, records: part.records.map((record) => record && gazetteer.complete(record)) } : part,
  );
}
