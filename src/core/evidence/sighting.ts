import type { UnixMs } from '../units.ts';
import { alignDays, DAYS_MASK, OBSERVED_DAYS } from './observed-days.ts';
import type { RunCalendar } from './run-calendar.ts';

/** Newest capture at or before an instant with its day mask: what one source says of one (prefix, type, pool). */
export interface Sighting {
  readonly capturedAt: UnixMs;
  /** Bit 0 is the UTC date of `capturedAt`. */
  readonly days: number;
}

/** One spell: from its first run to its last, or still open. */
export interface Spell {
  readonly firstAt: UnixMs;
  readonly lastAt: UnixMs | undefined;
}

/** Two sightings of the same thing: the newer capture, the days united. Either may be missing. Order and grouping do not matter. */
export function mergeSightings(a: Sighting | undefined, b: Sighting | undefined): Sighting | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  const [newer, older] = a.capturedAt >= b.capturedAt ? [a, b] : [b, a];
  const days = newer.days | alignDays(older.days, older.capturedAt, newer.capturedAt);
  return days === newer.days ? newer : { capturedAt: newer.capturedAt, days };
}

/**
 * What the spells of a listing say at an instant: each run of the source inside a spell is a capture.
 * @param spells ascending by firstAt, not overlapping, all with firstAt ≤ at
 */
export function sightingOfSpells(spells: readonly Spell[], runs: RunCalendar, at: number): Sighting | undefined {
  let found: Sighting | undefined;
  for (let index = spells.length - 1; index >= 0; index--) {
    const spell = spells[index]!;
    const last = runs.newestUntil(Math.min(at, spell.lastAt ?? Number.POSITIVE_INFINITY));
    if (last === undefined || last < spell.firstAt) continue;
    if (found !== undefined && alignDays(1, last, found.capturedAt) === 0) break;
    found = mergeSightings(found, { capturedAt: last, days: runs.daysBetween(spell.firstAt, last) });
    if (found?.days === DAYS_MASK) break;
  }
  return found;
}

/**
 * What dated events say at an instant, with at most one question a day.
 * @param newestUntil newest event at or before a time
 */
export function sightingOfEvents(newestUntil: (at: number) => UnixMs | undefined, at: number): Sighting | undefined {
  const capturedAt = newestUntil(at);
  if (capturedAt === undefined) return undefined;
  let days = 1;
  let before = startOfDay(capturedAt);
  for (let back = 1; back < OBSERVED_DAYS; back++) {
    const earlier = newestUntil(before - 1);
    if (earlier === undefined) break;
    const bit = alignDays(1, earlier, capturedAt);
    if (bit === 0) break;
    days |= bit;
    before = startOfDay(earlier);
  }
  return { capturedAt, days };
}

const startOfDay = (at: number): number => Math.floor(at / 86_400_000) * 86_400_000;
