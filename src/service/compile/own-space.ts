import type { LayerRecord } from '../../core/place/layer-record.ts';
import type { NetworkList, PrefixColumns } from '../../core/place/network-list.ts';
import { RangeBuilder } from '../../engine/ranges/range-builder.ts';
import { RangeRows } from '../../engine/ranges/range-rows.ts';
import type { RangeSet } from '../../engine/ranges/range-set.ts';
import { startOf } from '../../engine/ranges/sum-by-record.ts';
import { sweepRanges } from '../../engine/ranges/sweep-ranges.ts';

export interface Routes {
  readonly ranges: RangeSet;
  readonly records: readonly (LayerRecord | undefined)[];
}

const OWN = 1;
const OTHERS = 2;

/**
 * Cuts ranges down to what the AS numbers announce, by the first layer that knows the address, and what nobody announces
 * in a /16 (IPv6 /32): between two stretches of theirs, or where no others announce a part of it.
 * @returns what is left, and the number of ranges that lost something
 */
export function ownSpace(
  family: 4 | 6,
  ranges: RangeSet,
  holders: readonly number[],
  routes: readonly Routes[],
): { readonly own: RangeSet; readonly foreign: number } {
  const own = new Set<number | undefined>(holders);
  const layers = routes.map((layer) => layer.ranges);
  const held = sweepRanges(family, layers, (ids) => {
    const asn = routes.map(({ records }, i) => records[ids[i]!]?.asn).find((known) => known !== undefined);
    return asn === undefined ? 0 : own.has(asn) ? OWN : OTHERS;
  });
  const filled = { ...held, ids: held.ids.map((id, i) => (isBetween(held, i) ? OWN : id)) };
  const foreign = new Set<number>();
  const rows = { ...ranges, ids: ranges.ids.map((id, row) => (id === 0 ? 0 : row + 1)) };
  const left = sweepRanges(family, [rows, filled, ownBlocks(held)], ([row = 0, holder, block]) => {
    if (row === 0 || (holder || block) === OWN) return row && ranges.ids[row - 1]!;
    foreign.add(row);
    return 0;
  });
  return { own: left, foreign: foreign.size };
}

const blockSize = ({ family }: RangeSet): number => 2 ** (family === 4 ? 16 : 32);

function isBetween(held: RangeSet, i: number): boolean {
  if (held.ids[i] !== 0 || held.ids[i - 1] !== OWN || held.ids[i + 1] !== OWN) return false;
  const [first, after] = [i, i + 1].map((at) => startOf(held, at) / blockSize(held)) as [number, number];
  return Math.ceil(first) > after;
}

function ownBlocks(held: RangeSet): RangeSet {
  const { family, count, ids } = held;
  const size = blockSize(held);
  const blocks = new Set<number>();
  for (const holder of [OWN, OTHERS])
    for (let i = 0; i < count; i++) {
      if (ids[i] !== holder) continue;
      const end = i + 1 < count ? startOf(held, i + 1) : size * 2 ** (family === 4 ? 16 : 32);
      for (let block = Math.floor(startOf(held, i) / size); block * size < end; block++)
        if (holder === OWN) blocks.add(block);
        else blocks.delete(block);
    }
  const out = new RangeBuilder(family);
  for (const block of [...blocks].sort((a, b) => a - b))
    for (const [first, id] of [
      [block, OWN],
      [block + 1, 0],
    ] as const)
      if (family === 4) out.push4(first * size, id);
      else out.push6(first, 0, 0, 0, id);
  return out.finish();
}

/**
 * Gives each range of one family 1 + the index of its list, or 0 outside all. The longer prefix wins, then
 * the later list.
 */
export function listRanges(family: 4 | 6, lists: readonly NetworkList[]): RangeSet {
  const rows = new RangeRows(family);
  for (const [index, { prefixes }] of lists.entries())
    if (prefixes !== undefined) addPrefixes(rows, prefixes, index + 1);
  return rows.partition();
}

function addPrefixes(rows: RangeRows, { length, family, words, bits }: PrefixColumns, id: number): void {
  for (let i = 0; i < length; i++) {
    if (family[i] !== rows.family) continue;
    const first = [0, 0, 0, 0];
    const last = [0, 0, 0, 0];
    for (let w = 0; w < (rows.family === 4 ? 1 : 4); w++) {
      const held = bits[i]! - 32 * w;
      const mask = held <= 0 ? 0 : held >= 32 ? 0xffff_ffff : (0xffff_ffff << (32 - held)) >>> 0;
      first[w] = (words[4 * i + w]! & mask) >>> 0;
      last[w] = (first[w]! | ~mask) >>> 0;
    }
    if (rows.family === 4) rows.add4(first[0]!, last[0]!, id);
    else rows.add6(first, last, id);
  }
}
