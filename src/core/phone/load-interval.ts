import { MINUTE_MS, type UnixMs } from '../units.ts';

/** Fewer than two intervals do not show a habit. */
const LOADS_MIN = 3;
const HOUR_MIN = 60;
const DAY_MIN = 1440;

/**
 * Returns the median interval between loads as an ISO 8601 duration; undefined below three loads. Loads in
 * one minute count once.
 */
export function loadInterval(times: readonly UnixMs[]): string | undefined {
  const minutes = [...new Set(times.map((at) => Math.floor(at / MINUTE_MS)))].sort((a, b) => a - b);
  if (minutes.length < LOADS_MIN) return undefined;
  const intervals = minutes.slice(1).map((minute, index) => minute - (minutes[index] ?? 0));
  return durationText(median(intervals));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
}

function durationText(minutes: number): string {
  const rounded =
    minutes < DAY_MIN - 0.5 ? Math.max(1, Math.round(minutes)) : Math.round(minutes / HOUR_MIN) * HOUR_MIN;
  const parts = [Math.floor(rounded / DAY_MIN), Math.floor((rounded % DAY_MIN) / HOUR_MIN), rounded % HOUR_MIN];
  const [days, hours, rest] = parts.map((value, index) => (value === 0 ? '' : `${value}${'DHM'[index]}`));
  return `P${days}${hours === '' && rest === '' ? '' : `T${hours}${rest}`}`;
}
