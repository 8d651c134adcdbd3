import type { UnixMs } from './units.ts';

/**
 * Returns the least by which another clock, which was read between two moments of this one, differs from it:
 * milliseconds, negative if the other is behind, 0 if the two may be equal.
 */
export const clockOffset = (said: UnixMs, before: number, after: number): number =>
  Math.max(0, said - after) + Math.min(0, said - before);
