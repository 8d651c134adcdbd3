import type { CaptureBatch } from '../evidence/observation.ts';
import { DAY_MS, type UnixMs, utcDay } from '../units.ts';

/**
 * Dates the rows whose age is known in days (`JsonFormat.daysLeftOf`): a negative time of n + 1 days becomes the first moment of the UTC date n days before the date of
 * the run, so that the same sighting has the same time in every version of the list.
 */
export function dateRows(batch: CaptureBatch, runAt: UnixMs): CaptureBatch {
  if (!batch.capturedAt.some((at) => at < 0)) return batch;
  const tomorrow = (utcDay(runAt) + 1) * DAY_MS;
  return { ...batch, capturedAt: batch.capturedAt.map((at) => (at < 0 ? tomorrow + at : at)) };
}
