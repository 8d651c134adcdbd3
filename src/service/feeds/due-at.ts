import type { Feed } from '../../core/feeds/feed.ts';
import { backOff } from '../../core/kit/back-off.ts';
import type { Said } from '../../core/texts/said.ts';
import { DAY_MS, MINUTE_MS, type UnixMs, unixMs } from '../../core/units.ts';
import type { FeedState, NetworkListSink } from './feed-ports.ts';

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

interface DueReading {
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

/** Without relay ranges, the people of a private relay would be captured as VPN users. */
export const WAITS_FOR_RELAY =
  'waits for a list of private-relay ranges: lists of VPN addresses hold relay egress too (`pulse feeds refresh apple-private-relay`)';

const bringsRelay = ({ effect }: Feed): boolean => effect.kind === 'network' && effect.network.relay === true;

/**
 * Sorts private-relay lists first, before any list of VPN addresses. Other lists about networks follow, so
 * that one rebuild of the network data holds them all.
 */
export function relayFirst<T>(things: readonly T[], feedOf: (thing: T) => Feed): T[] {
  const rank = (thing: T): number => (bringsRelay(feedOf(thing)) ? 0 : feedOf(thing).effect.kind === 'network' ? 1 : 2);
  return things.toSorted((a, b) => rank(a) - rank(b));
}

/** Questions of network data are decided when captures are accepted, so a list of VPN addresses waits. */
export const waitsForRelay = ({ effect }: Feed, networks: Pick<NetworkListSink, 'knowsRelay'>): boolean =>
  effect.kind === 'risk' && effect.riskType === 'vpn' && !networks.knowsRelay();
