import { type UnixMs, unixMs } from '../units.ts';
import type { Observation } from './observation.ts';

/**
 * Returns the observations with every capture moved back to a multiple of `resolutionMs`. Results computed
 * from these reveal a capture's time only to that resolution, however many values are published. A resolution
 * that divides a day keeps the date and so the observed days.
 */
export const coarseCaptures = (observations: readonly Observation[], resolutionMs: number): readonly Observation[] =>
  observations.map((row) => ({ ...row, capturedAt: floorTo(row.capturedAt, resolutionMs) }));

export const floorTo = (at: number, resolutionMs: number): UnixMs =>
  unixMs(Math.floor(at / resolutionMs) * resolutionMs);

export const ceilTo = (at: number, resolutionMs: number): UnixMs => unixMs(Math.ceil(at / resolutionMs) * resolutionMs);
