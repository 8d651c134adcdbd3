import { type UnixMs, unixMs } from '../units.ts';
import type { Observation } from './observation.ts';

/**
 * The same observations with every capture moved back to the multiple of `resolutionMs` before it. Results computed from these say no more of a capture's
 * time than that, however many values are published. A resolution that divides a day keeps the date, and with it the observed days.
 */
export const coarseCaptures = (observations: readonly Observation[], resolutionMs: number): readonly Observation[] =>
  observations.map((row) => ({ ...row, capturedAt: floorTo(row.capturedAt, resolutionMs) }));

/** Last multiple of `resolutionMs` at or before an instant. */
export const floorTo = (at: number, resolutionMs: number): UnixMs =>
  unixMs(Math.floor(at / resolutionMs) * resolutionMs);

/** First multiple of `resolutionMs` at or after an instant. */
export const ceilTo = (at: number, resolutionMs: number): UnixMs => unixMs(Math.ceil(at / resolutionMs) * resolutionMs);
