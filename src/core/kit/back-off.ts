/**
 * Returns the wait after this many consecutive failures, from 1 on: it doubles up to a maximum. The caller
 * adds jitter.
 */
export const backOff = (failures: number, { firstMs, maxMs }: { firstMs: number; maxMs: number }): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30));
