import type { MergedNetwork } from '../../core/place/network-facts.ts';
import { compileGeo, encodeNetworks, encodePlaces } from '../../engine/geo/compile-geo.ts';
import type { GeoImage } from '../../engine/geo/geo-image.ts';
import type { EncodedTables, GeoMeta, NetworkTables, PlaceTables } from '../../engine/geo/geo-input.ts';
import { sharedMemory } from '../../engine/image.ts';
import type { RangeSet, RangeSet4, RangeSet6 } from '../../engine/ranges/range-set.ts';
import { type PackedTexts, TextPacker } from '../../engine/record-texts.ts';
import { networkKey } from './merge-networks.ts';

/** What one family's layers and lists merged to; a part that is to be taken from the previous image is absent. */
export interface FamilyTables {
  readonly place?: { readonly ranges: RangeSet; readonly records: PackedTexts };
  readonly network?: { readonly ranges: RangeSet; readonly records: readonly MergedNetwork[] };
}

export interface CompileDataInput {
  readonly meta: GeoMeta;
  readonly place: EncodedTables;
  readonly network: EncodedTables;
}

/**
 * Lays encoded tables out as an image in memory that threads share. No answer may come from it, and no `geo.json` may name it, before
 * `requireSound` has seen what every check of `verifyGeo` found in the finished bytes.
 */
export function compileData({ meta, place, network }: CompileDataInput): Uint8Array<SharedArrayBuffer> {
  return compileGeo({ meta, place, network }, sharedMemory);
}

/** @throws Error naming the faults when there are any */
export function requireSound(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`the compiled image is not sound: ${faults.slice(0, 5).join('; ')}`);
}

/** The place tables of both families; those of `previous` where they were not built. */
export function encodePlaceTables(
  a: FamilyTables['place'],
  b: FamilyTables['place'],
  previous?: GeoImage,
): EncodedTables {
  return encodePlaces(a && b ? joinPlaces(a, b) : reuse(previous));
}

/** The network tables of both families; those of `previous` where they were not built. */
export function encodeNetworkTables(
  a: FamilyTables['network'],
  b: FamilyTables['network'],
  previous?: GeoImage,
): EncodedTables {
  return encodeNetworks(a && b ? joinNetworks(a, b) : reuse(previous));
}

function reuse(previous: GeoImage | undefined): { readonly reuse: GeoImage } {
  if (previous === undefined)
    throw new Error('a part of the data was not built and there is no earlier image to take it from');
  return { reuse: previous };
}

/** One set of records for both families: equal texts share a number. */
function joinPlaces(a: NonNullable<FamilyTables['place']>, b: NonNullable<FamilyTables['place']>): PlaceTables {
  const texts = TextPacker.continuing(a.records);
  const moved = new Uint32Array(b.records.offsets.length - 1);
  for (let id = 0; id < moved.length; id++) moved[id] = texts.addFrom(b.records, id);
  return { ranges4: a.ranges as RangeSet4, ranges6: renumbered(b.ranges, moved) as RangeSet6, records: texts.finish() };
}

function joinNetworks(a: NonNullable<FamilyTables['network']>, b: NonNullable<FamilyTables['network']>): NetworkTables {
  const records = [...a.records];
  const byKey = new Map(records.map((record, id) => [networkKey(record), id]));
  const moved = Uint32Array.from(b.records, (record) => byKey.get(networkKey(record)) ?? records.push(record) - 1);
  return { ranges4: a.ranges as RangeSet4, ranges6: renumbered(b.ranges, moved) as RangeSet6, records };
}

function renumbered(ranges: RangeSet, moved: Uint32Array): RangeSet {
  const { ids } = ranges;
  const next = new Uint32Array(ids.length);
  for (let i = 0; i < ids.length; i++) next[i] = moved[ids[i]!]!;
  return { ...ranges, ids: next };
}
