import type { LayerRecord } from '../core/place/layer-record.ts';
import { type LayerRole, type PlaceTables as MergeTables, mergePlace, type Place } from '../core/place/merge-place.ts';
import type { RangeSet } from '../engine/ranges/range-set.ts';
import { sweepRanges } from '../engine/ranges/sweep-ranges.ts';
import { type PackedTexts, TextPacker } from '../engine/record-texts.ts';

/** One family's part of a layer, as the merge takes it. */
export interface LayerPart {
  readonly role: LayerRole;
  readonly ranges: RangeSet;
  readonly records: readonly (LayerRecord | undefined)[];
}

/**
 * Merges the places of layers, most trusted first, into one partition.
 * @returns the partition and its records as JSON texts, entry 0 the empty text
 */
export function mergePlaces(family: 4 | 6, layers: readonly LayerPart[], tables: MergeTables): { readonly ranges: RangeSet; readonly records: PackedTexts } {
  const records = new TextPacker(layers.reduce((most, layer) => Math.max(most, layer.records.length), 0));
  const ranges = sweepRanges(
    family,
    layers.map((layer) => layer.ranges),
    (ids) => {
      const said: { role: LayerRole; record: LayerRecord }[] = [];
      for (let i = 0; i < layers.length; i++) {
        const record = layers[i]!.records[ids[i]!];
        if (record !== undefined) said.push({ role: layers[i]!.role, record });
      }
      const place = said.length === 0 ? undefined : mergePlace(said, tables);
      return place === undefined ? 0 : packPlace(records, place);
    },
  );
  return { ranges, records: records.finish() };
}

const KEYS = [
  'continent',
  'country',
  'subdivision',
  'admin_code',
  'region',
  'city',
  'district',
  'tz',
  'lat',
  'lon',
] as const satisfies readonly (keyof Place)[];
/** `,"key":` of each, and the same as the first key of an object. */
const HEADS = KEYS.map((key) => new TextEncoder().encode(`,"${key}":`));
const OPEN_HEADS = KEYS.map((key) => new TextEncoder().encode(`{"${key}":`));
const CLOSE = new TextEncoder().encode('}');

/** Packs what `JSON.stringify` gives for a place. @returns the text's number; 0 for a place that says nothing */
export function packPlace(texts: TextPacker, place: Place): number {
  let heads = OPEN_HEADS;
  for (let i = 0; i < KEYS.length; i++) {
    const value = place[KEYS[i]!];
    if (value === undefined) continue;
    texts.ascii(heads[i]!);
    heads = HEADS;
    if (typeof value === 'string') texts.quoted(value);
    else texts.decimal(value);
  }
  if (heads === HEADS) texts.ascii(CLOSE);
  return texts.end();
}
