import { DAY_MS, type UnixMs, utcDay } from '../units.ts';

/** Width of the day mask: the interface counts observed days over 14 UTC dates. */
export const OBSERVED_DAYS = 14;
export const DAYS_MASK = (1 << OBSERVED_DAYS) - 1;

/** Only the low 16 bits count. */
export function countDays(mask: number): number {
  let bits = mask - ((mask >>> 1) & 0x5555);
  bits = (bits & 0x3333) + ((bits >>> 2) & 0x3333);
  bits = (bits + (bits >>> 4)) & 0x0f0f;
  return (bits + (bits >>> 8)) & 0x1f;
}

/**
 * Moves a mask from the date of `from` (bit 0) to the later date of `to`; days more than 13 dates back are
 * dropped.
 */
export function alignDays(mask: number, from: UnixMs, to: UnixMs): number {
  const days = utcDay(to) - utcDay(from);
  return days >= OBSERVED_DAYS ? 0 : (mask << days) & DAYS_MASK;
}

export const dayStart = (at: UnixMs): UnixMs => (utcDay(at) * DAY_MS) as UnixMs;
