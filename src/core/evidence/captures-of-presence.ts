import type { UnixMs } from '../units.ts';
import { alignDays, DAYS_MASK } from './observed-days.ts';
import type { RunTimes } from './run-times.ts';
import { type Captures, uniteCaptures } from './unite-captures.ts';

export interface PresenceInterval {
  readonly firstAt: UnixMs;
  readonly lastAt: UnixMs | undefined;
}

/** @param presence ascending, not overlapping */
export function capturesOfPresence(
  spells: readonly PresenceInterval[],
  runs: RunTimes,
  at: number,
): Captures | undefined {
  let found: Captures | undefined;
  for (let index = spells.length - 1; index >= 0; index--) {
    const spell = spells[index]!;
    const last = runs.newestUntil(Math.min(at, spell.lastAt ?? Number.POSITIVE_INFINITY));
    if (last === undefined || last < spell.firstAt) continue;
    if (found !== undefined && alignDays(1, last, found.capturedAt) === 0) break;
    found = uniteCaptures(found, { capturedAt: last, days: runs.daysBetween(spell.firstAt, last) });
    if (found?.days === DAYS_MASK) break;
  }
  return found;
}
