import { type Said, said } from './texts/said.ts';
import type { UnixMs } from './units.ts';

/** Nodes whose clocks are further apart give other ages and count other minutes. */
const OFFSET_MAX_MS = 2000;

export interface ClockSeen {
  readonly name: string;
  readonly offsetMs: number;
}

/**
 * Returns the least by which another clock, which was read between two moments of this one, differs from it:
 * milliseconds, negative if the other is behind, 0 if the two may be equal.
 */
export const clockOffset = (said: UnixMs, before: number, after: number): number =>
  Math.max(0, said - after) + Math.min(0, said - before);

export const isClockWrong = ({ offsetMs }: ClockSeen): boolean => Math.abs(offsetMs) >= OFFSET_MAX_MS;

export function clockRemark({ name, offsetMs }: ClockSeen): Said {
  const values = { name, seconds: Math.round(Math.abs(offsetMs) / 1000) };
  return offsetMs < 0
    ? said('this clock is {seconds} s ahead of {name}: ages and allowances are wrong by it; set it', values)
    : said('this clock is {seconds} s behind {name}: ages and allowances are wrong by it; set it', values);
}
