import type { AddressTable } from './address-table.ts';

/**
 * Makes room in a table whose first column counts: every count loses the median, and entries that come to nothing go (Misra and Gries, 1982, with the median as
 * Anderson and others take it, 2017). What a count has lost is at most twice the sum of all counts over the size of the table.
 * @returns how much each count that stays lost, and each that went had at most
 */
export function forgetRarest(table: AddressTable): number {
  const counts = table.columns[0]!;
  const median = counts.slice(0, table.size).sort()[table.size >> 1]!;
  table.retain((row) => counts[row]! > median);
  for (let row = 0; row < table.size; row++) counts[row]! -= median;
  return median;
}
