import type { Feed } from '../core/feeds/feed.ts';
import { HOUR_MS, type UnixMs } from '../core/units.ts';
import type { FeedState, FeedStates } from './feed-ports.ts';
import type { SourceHealth } from './ports.ts';

/**
 * Whether a feed's content is older than its bound, however often it was read since: a publisher that has stopped is found. A feed that never succeeded is not overdue:
 * it was never part of what verdicts rest on.
 */
export function isOverdue(feed: Pick<Feed, 'maxAgeHours'>, { lastSuccessAt, lastRunAt }: FeedState, now: UnixMs): boolean {
  if (lastSuccessAt === undefined) return false;
  return now - (lastRunAt ?? lastSuccessAt) > feed.maxAgeHours * HOUR_MS;
}

/** Whether the schedule reads a feed; any other is read by name or from files alone, and verdicts do not expect it. */
export const isScheduled = ({ scheduled, url }: Pick<Feed, 'scheduled' | 'url'>): boolean => scheduled !== false && url !== '';

/**
 * Whether verdicts lack a feed (decisions 4.12): it was never read, could not be read for longer than its bound, or what it holds is older than that. A publisher
 * that is gone stays missing until an operator switches it off.
 */
function isLeftOut(feed: Pick<Feed, 'maxAgeHours'>, state: FeedState, now: UnixMs): boolean {
  const { lastSuccessAt } = state;
  return lastSuccessAt === undefined || now - lastSuccessAt > feed.maxAgeHours * HOUR_MS || isOverdue(feed, state, now);
}

/** Ids of the expected sources of evidence that verdicts lack. Lists about networks do not count: they are not evidence. @param expected scheduled and not switched off */
export function leftOut(expected: readonly Feed[], states: Pick<FeedStates, 'get'>, now: UnixMs): readonly string[] {
  return expected.filter((feed) => feed.effect.kind === 'risk' && isLeftOut(feed, states.get(feed.id), now)).map(({ id }) => id);
}

/** State of every feed, as pages and metrics show it. */
export function feedHealth(feeds: readonly Feed[], states: FeedStates, now: UnixMs): readonly SourceHealth[] {
  return feeds.map((feed) => {
    const state = states.get(feed.id);
    return {
      id: feed.id,
      ...(feed.effect.kind === 'risk' ? { riskType: feed.effect.riskType } : {}),
      ...(state.lastRunAt === undefined ? {} : { lastRunAt: state.lastRunAt }),
      ...(state.lastSuccessAt === undefined ? {} : { lastReadAt: state.lastSuccessAt }),
      ...(state.lastErrorAt === undefined ? {} : { lastErrorAt: state.lastErrorAt }),
      rows: state.rows,
      overdue: isOverdue(feed, state, now),
    };
  });
}
