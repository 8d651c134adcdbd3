import type { CaptureBatch } from '../evidence/observation.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs, utcDay } from '../units.ts';

/** Publication times this far ahead of our clock count as now; later ones are not believed. */
const CLOCK_SKEW_MS = 5 * MINUTE_MS;

export interface ReadingTimes {
  readonly unchanged: boolean;
  /**
   * The publisher's time is stated in the content, or given by a server, a repository or a mirror's manifest.
   */
  readonly publishedAt: UnixMs | undefined;
  readonly live: boolean;
  /** Set where this content came within reach before now: a mirror folder is synced before it is read. */
  readonly firstReadAt: UnixMs | undefined;
}

/**
 * Returns the time of the run that a reading makes, by the order of clocks of decisions 1: the publisher's
 * time, then now for a live source, then the first reading of the content. Changed content whose publisher's
 * time has not moved is dated by its first reading too.
 * @param lastRunAt time of the last run of this source
 * @returns undefined when the reading makes no run: its content is unchanged, or it is an older copy
 */
export function runTime(
  { unchanged, publishedAt, live, firstReadAt }: ReadingTimes,
  lastRunAt: UnixMs | undefined,
  now: UnixMs,
): UnixMs | undefined {
  if (unchanged && !live) return undefined;
  const believed =
    publishedAt === undefined || publishedAt > now + CLOCK_SKEW_MS ? undefined : Math.min(publishedAt, now);
  const own = live ? now : Math.min(firstReadAt ?? now, now);
  const at = believed === undefined || (believed === lastRunAt && !unchanged) ? own : believed;
  return lastRunAt !== undefined && at < lastRunAt ? undefined : unixMs(at);
}

/**
 * Dates the rows whose age is known in days (`JsonFormat.daysLeftOf`). A negative time of n + 1 days becomes
 * the first moment of the UTC date n days before the run, so that the same sighting has the same time in
 * every version of the list.
 */
export function dateRows(batch: CaptureBatch, runAt: UnixMs): CaptureBatch {
  if (!batch.capturedAt.some((at) => at < 0)) return batch;
  const tomorrow = (utcDay(runAt) + 1) * DAY_MS;
  return { ...batch, capturedAt: batch.capturedAt.map((at) => (at < 0 ? tomorrow + at : at)) };
}
