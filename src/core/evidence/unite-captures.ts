import type { UnixMs } from '../units.ts';
import { alignDays } from './observed-days.ts';

/** Captures of one thing, united: the newest of them, and the days on which there was one. */
export interface Captures {
  readonly capturedAt: UnixMs;
  /** Bit 0 is the UTC date of `capturedAt`. */
  readonly days: number;
}

/** Captures of the same thing: the newer time, the days united. Either may be missing. Order and grouping do not matter. */
export function uniteCaptures(a: Captures | undefined, b: Captures | undefined): Captures | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  const days = uniteDays(a.capturedAt, a.days, b.capturedAt, b.days);
  const newer = a.capturedAt >= b.capturedAt ? a : b;
  return days === newer.days ? newer : { capturedAt: newer.capturedAt, days };
}

/** Day mask of two captures of the same thing, on the date of the newer one. For tables of numbers: it makes no object. */
export const uniteDays = (at: number, days: number, otherAt: number, otherDays: number): number =>
  at >= otherAt
    ? days | alignDays(otherDays, otherAt as UnixMs, at as UnixMs)
    : otherDays | alignDays(days, at as UnixMs, otherAt as UnixMs);
