import type { UnixMs } from '../units.ts';
import { alignDays } from './observed-days.ts';

export interface Captures {
  readonly capturedAt: UnixMs;
  readonly days: number;
}

/**
 * Unites captures to the newer time and the days of both. Either may be missing. Order and grouping do not
 * matter.
 */
export function uniteCaptures(a: Captures | undefined, b: Captures | undefined): Captures | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  const days = uniteDays(a.capturedAt, a.days, b.capturedAt, b.days);
  const newer = a.capturedAt >= b.capturedAt ? a : b;
  return days === newer.days ? newer : { capturedAt: newer.capturedAt, days };
}

/**
 * Unites the day masks of two captures, on the date of the newer one. It makes no object, for tables of
 * numbers.
 */
export const uniteDays = (at: number, days: number, otherAt: number, otherDays: number): number =>
  at >= otherAt
    ? days | alignDays(otherDays, otherAt as UnixMs, at as UnixMs)
    : otherDays | alignDays(days, at as UnixMs, otherAt as UnixMs);
