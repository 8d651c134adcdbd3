import type { Feed } from '../../core/feeds/feed.ts';
import { backOff } from '../../core/kit/back-off.ts';
import { MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { FeedState } from './feed-ports.ts';

const MAX_PAUSE_MS = 6 * 60 * MINUTE_MS;
/** First readings after a start are spread, so that a restart does not make a burst. */
const START_SPREAD_MS = 5000;

/**
 * Waits one cadence after a success, up to a tenth more, and pauses with full jitter after failures. @param
 * chance [0, 1)
 */
export function dueAt(feed: Pick<Feed, 'cadenceMin'>, state: FeedState, now: UnixMs, chance: number): UnixMs {
  const cadence = feed.cadenceMin * MINUTE_MS;
  if (state.failures > 0) {
    const bound = backOff(state.failures, { firstMs: 2 * MINUTE_MS, maxMs: Math.min(cadence, MAX_PAUSE_MS) });
    return unixMs((state.lastAttemptAt ?? now) + MINUTE_MS / 2 + chance * bound);
  }
  if (state.lastSuccessAt === undefined) return unixMs(now + chance * START_SPREAD_MS);
  return unixMs(state.lastSuccessAt + cadence * (1 + chance / 10));
}
