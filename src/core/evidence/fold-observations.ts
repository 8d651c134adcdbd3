import { RISK_TYPES, type RiskType } from '../../contract/risk.ts';
import { DAY_MS, type UnixMs, utcDay } from '../units.ts';
import type { Observation } from './observation.ts';
import type { RunTimes } from './run-times.ts';

/**
 * Brings the rows known of one address into the form that a verdict reads, from any store or table and in any
 * order. Rows with equal risk type, source, prefix length and pool are united to the newest capture with the
 * days of all. The live index and the history store both use it, so they cannot disagree.
 * @param rows rows of all prefixes that contain the address, at most one prefix per length; they are not
 * changed
 * @returns in RISK_TYPES order, then by family, source, pool in code-unit order, most specific prefix first
 */
export function foldObservations(rows: readonly Observation[]): readonly Observation[] {
  if (rows.length < 2) return rows;
  const sorted = [...rows].sort(byKey);
  const folded: Observation[] = [];
  for (const row of sorted) {
    const last = folded.at(-1);
    if (last !== undefined && byKey(last, row) === 0) folded[folded.length - 1] = unite(last, row);
    else folded.push(row);
  }
  return folded;
}

const ORDER = new Map<RiskType, number>(RISK_TYPES.map((type, index) => [type, index]));

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const byKey = (a: Observation, b: Observation): number =>
  ORDER.get(a.riskType)! - ORDER.get(b.riskType)! ||
  byText(a.family, b.family) ||
  byText(a.source, b.source) ||
  b.prefixBits - a.prefixBits ||
  byText(a.pools[0] ?? '', b.pools[0] ?? '');

function unite(a: Observation, b: Observation): Observation {
  const newer = a.capturedAt >= b.capturedAt ? a : b;
  return { ...newer, days: uniteDays(a.capturedAt, a.days, b.capturedAt, b.days) };
}

export interface PresenceInterval {
  readonly firstAt: UnixMs;
  readonly lastAt: UnixMs | undefined;
}

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

export const uniteDays = (at: number, days: number, otherAt: number, otherDays: number): number =>
  at >= otherAt
    ? days | alignDays(otherDays, otherAt as UnixMs, at as UnixMs)
    : otherDays | alignDays(days, at as UnixMs, otherAt as UnixMs);

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
