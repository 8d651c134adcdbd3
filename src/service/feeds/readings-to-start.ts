import type { UnixMs } from '../../core/units.ts';
import type { FeedState } from './feed-ports.ts';

export interface DueReading {
  readonly id: string;
  readonly slow: boolean;
}

export interface RunningReading {
  readonly startedAt: UnixMs;
  readonly slow: boolean;
}

/** Feeds that answer promptly share these slots; readings that take long continue in slow ones. */
const QUICK_SLOTS = 2;
const SLOW_SLOTS = 8;
export const SLOW_AFTER_MS = 5000;

export const isSlow = ({ tookMs }: FeedState): boolean => tookMs !== undefined && tookMs >= SLOW_AFTER_MS;

/**
 * Chooses the due feeds that begin now, so that publishers that hang do not delay others. Feeds known as slow
 * come last and never take a quick slot; one that turns out slow frees its quick slot while slow ones are
 * free. So at most ten are read at the same time.
 * @param due in the order in which they are to be read
 * @returns their ids, in the order to start them
 */
export function readingsToStart(
  due: readonly DueReading[],
  running: readonly RunningReading[],
  now: UnixMs,
): readonly string[] {
  const slowRunning = running.filter(({ slow, startedAt }) => slow || now - startedAt >= SLOW_AFTER_MS).length;
  const quickRunning = running.length - slowRunning + Math.max(0, slowRunning - SLOW_SLOTS);
  const quickDue = due.filter(({ slow }) => !slow);
  const quick = quickDue.slice(0, Math.max(0, QUICK_SLOTS - quickRunning));
  const slow =
    quick.length < quickDue.length ? [] : due.filter((one) => one.slow).slice(0, Math.max(0, SLOW_SLOTS - slowRunning));
  const free = Math.max(0, QUICK_SLOTS + SLOW_SLOTS - running.length);
  return [...quick, ...slow].slice(0, free).map(({ id }) => id);
}
