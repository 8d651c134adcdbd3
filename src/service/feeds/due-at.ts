import type { Feed } from '../../core/feeds/feed.ts';
import { backOff } from '../../core/kit/back-off.ts';
import type { Said } from '../../core/texts/said.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
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

/** Publishers have a new file a month; one that was refused may be mended within days. */
const CADENCE_MS = 30 * DAY_MS;
const RETRY_MS = DAY_MS;

/** A publisher is due a month after it was asked, a day after a refusal, and at once if it never was asked. */
export function layerDueAt({ checked_at, refused }: { readonly checked_at?: string; readonly refused?: Said }): number {
  const at = Date.parse(checked_at ?? '');
  return Number.isNaN(at) ? 0 : at + (refused === undefined ? CADENCE_MS : RETRY_MS);
}

export const WAITS_FOR_NETWORK_DATA =
  'waits for place and network data, which are being prepared: they say which of its addresses are on access networks';

/** Questions of network data are decided when a run is accepted and never again, so such a list waits. */
export const waitsForNetworkData = ({ effect }: Feed, hasNetworkData: (() => boolean) | undefined): boolean =>
  effect.kind === 'risk' && effect.derives !== undefined && hasNetworkData?.() === false;
