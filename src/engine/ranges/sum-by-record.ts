import type { RangeSet } from './range-set.ts';

/** Start of a range as a number: an IPv4 address, or the first 64 bits of an IPv6 one. */
export const startOf = ({ family, starts }: RangeSet, i: number): number =>
  family === 4 ? starts[i]! : starts[4 * i]! * 2 ** 32 + starts[4 * i + 1]!;

/**
 * Sums up the ranges of each record number below `records`.
 * @param worth of a range by its IPv4 addresses or IPv6 /64 networks; default: their number
 */
export function sumByRecord(
  ranges: RangeSet,
  records: number,
  worth = (addresses: number): number => addresses,
): Float64Array {
  const { family, count, ids } = ranges;
  const sums = new Float64Array(records);
  for (let i = 0; i < count; i++) {
    const end = i + 1 < count ? startOf(ranges, i + 1) : 2 ** (family === 4 ? 32 : 64);
    sums[ids[i]!]! += worth(end - startOf(ranges, i));
  }
  return sums;
}
