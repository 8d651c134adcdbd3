import type { AddressTable } from './address-table.ts';

/**
 * Makes room in a table whose first column counts: every count loses the median, and entries that come to nothing go (Misra and Gries, 1982, with the median as
 * Anderson and others take it, 2017). What a count has lost is at most twice the sum of all counts over the size of the table.
 * @returns how much each count that stays lost, and each that went had at most
 */
export function forgetRarest(table: AddressTable): number {
  const before = table.columns[0]!;
  const counts = new Float64Array(table.size);
  let i = 0;
  table.each((slot) => {
    counts[i++] = before[slot]!;
  });
  const median = counts.sort()[counts.length >> 1]!;
  table.retain((slot) => before[slot]! > median);
  const [after] = table.columns;
  table.each((slot) => {
    after![slot] = after![slot]! - median;
  });
  return median;
}
