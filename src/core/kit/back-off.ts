/** Wait after so many failures in a row, from 1 on: doubled, up to a bound. Jitter is the caller's. */
export const backOff = (failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
