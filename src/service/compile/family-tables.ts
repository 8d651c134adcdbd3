import type { MergedNetwork } from '../../core/place/network-facts.ts';
import type { RangeSet } from '../../engine/ranges/range-set.ts';
import { type PackedTexts, TextPacker } from '../../engine/record-texts.ts';
import { networkKey } from './merge-networks.ts';

/** Merged layers and lists of one family; a part that the previous image supplies is absent. */
export interface FamilyTables {
  readonly place?: { readonly ranges: RangeSet; readonly records: PackedTexts };
  readonly network?: {
    readonly ranges: RangeSet;
    readonly records: readonly MergedNetwork[];
    readonly asNames: ReadonlyMap<number, string>;
  };
}

/**
 * One set of records serves both families: equal records share a number, and those of the first family keep
 * theirs.
 */
export interface JoinResult<Records> {
  readonly records: Records;
  readonly moved: Uint32Array<ArrayBuffer>;
}

export function joinPlaces(a: PackedTexts, b: PackedTexts): JoinResult<PackedTexts> {
  const texts = TextPacker.continuing(a);
  const moved = new Uint32Array(b.offsets.length - 1);
  for (let id = 0; id < moved.length; id++) moved[id] = texts.addFrom(b, id);
  return { records: texts.finish(), moved };
}

export function joinNetworks(
  a: readonly MergedNetwork[],
  b: readonly MergedNetwork[],
): JoinResult<readonly MergedNetwork[]> {
  const records = [...a];
  const byKey = new Map(records.map((record, id) => [networkKey(record), id]));
  const moved = Uint32Array.from(b, (record) => byKey.get(networkKey(record)) ?? records.push(record) - 1);
  return { records, moved };
}

export function renumber({ ids, count }: RangeSet, moved: Uint32Array): void {
  for (let i = 0; i < count; i++) ids[i] = moved[ids[i]!]!;
}

/**
 * Call it before an image answers or `geo.json` names it. @throws Error naming the faults that `verifyGeo`
 * found
 */
export function requireNoFaults(faults: readonly string[]): void {
  if (faults.length > 0) throw new Error(`the compiled image is not sound: ${faults.slice(0, 5).join('; ')}`);
}
