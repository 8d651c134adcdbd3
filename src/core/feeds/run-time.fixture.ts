import { HOUR_MS, MINUTE_MS, unixMs } from '../units.ts';
import type { ReadingTimes } from './run-time.ts';

export const NOW = unixMs(Date.UTC(2026, 10, 21, 12));
export const ago = (hours: number) => unixMs(NOW - hours * HOUR_MS);
export const FRESH: ReadingTimes = { unchanged: false, publishedAt: undefined, live: false, firstReadAt: undefined };

export const CASES: readonly (readonly [string, Partial<ReadingTimes>, number | undefined, number | undefined])[] = [
  ['the publisher’s time comes first', { publishedAt: ago(3) }, undefined, ago(3)],
  ['also for a live source', { publishedAt: ago(3), live: true }, undefined, ago(3)],
  ['a live source answers for now', { live: true }, ago(1), NOW],
  ['a live source answers for now, unchanged or not', { live: true, unchanged: true }, ago(1), NOW],
  ['else the first reading speaks', {}, undefined, NOW],
  ['a folder was synced before it is read', { firstReadAt: ago(5) }, undefined, ago(5)],
  ['a file from the future was first read now', { firstReadAt: ago(-5) }, undefined, NOW],
  ['unchanged content makes no run', { unchanged: true }, ago(1), undefined],
  ['unchanged content under a newer time makes no run', { unchanged: true, publishedAt: ago(0) }, ago(1), undefined],
  ['an older copy makes no run', { publishedAt: ago(3) }, ago(2), undefined],
  ['a file older than the last run makes no run', { firstReadAt: ago(5) }, ago(2), undefined],
  [
    'new content whose publisher’s time has not moved is dated by its first reading',
    { publishedAt: ago(2) },
    ago(2),
    NOW,
  ],
  [
    'an unchanged live source whose server’s time has not moved adds nothing',
    { publishedAt: ago(2), live: true, unchanged: true },
    ago(2),
    ago(2),
  ],
  ['five minutes ahead is now', { publishedAt: unixMs(NOW + 5 * MINUTE_MS) }, undefined, NOW],
  [
    'further ahead is not believed',
    { publishedAt: unixMs(NOW + 5 * MINUTE_MS + 1), firstReadAt: ago(1) },
    undefined,
    ago(1),
  ],
];
