/**
 * How long to wait after so many failures in a row: doubled after each, up to a bound. Jitter is the caller's.
 * @param failures from 1 on
 */
export const backOff = (failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
