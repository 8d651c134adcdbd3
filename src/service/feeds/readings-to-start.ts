import type { UnixMs } from '../../core/units.ts';
import type { FeedState } from './feed-ports.ts';

/** A feed that is to be read. `slow`: its last reading outlasted a quick slot. */
export interface DueReading {
  readonly id: string;
  readonly slow: boolean;
}

export interface RunningReading {
  readonly startedAt: UnixMs;
  readonly slow: boolean;
}

/** Readings made at the same time, of feeds that answer promptly. */
const QUICK_SLOTS = 2;
/** Readings that go on next to them because they take long. */
const SLOW_SLOTS = 8;
/** A reading that takes longer gives up its quick slot for a slow one, milliseconds. */
export const SLOW_AFTER_MS = 5000;

/** Whether a feed's last reading, good or failed, outlasted a quick slot. */
export const isSlow = ({ tookMs }: FeedState): boolean => tookMs !== undefined && tookMs >= SLOW_AFTER_MS;

/**
 * Which of the feeds that are due to begin now, so that publishers that hang do not keep others from being
 * read. Those known as slow come after all others and never take a quick slot; one that turns out slow frees
 * its quick slot while slow ones are free. So at most ten are read at the same time.
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
