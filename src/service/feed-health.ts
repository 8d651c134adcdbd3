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

/** Whether none of the feeds that bring evidence was ever read on this machine. */
export function isNoneRead(feeds: readonly Feed[], states: FeedStates): boolean {
  return feeds.every((feed) => feed.effect.kind !== 'risk' || states.get(feed.id).lastSuccessAt === undefined);
}

/**
 * Whether verdicts lack sources that are to be read here: the first attempt at one is still to come, or none of them was ever read. One that was tried and
 * failed while others were read does not count, else a publisher that is gone would make every verdict degraded for good.
 * @param expected feeds that the schedule or the mirror folder holds; those that bring no evidence do not matter
 */
export function isUnread(expected: readonly Feed[], states: FeedStates): boolean {
  const evidence = expected.filter(({ effect }) => effect.kind === 'risk');
  if (evidence.length === 0) return false;
  return evidence.some(({ id }) => states.get(id).lastAttemptAt === undefined) || isNoneRead(evidence, states);
}

/** State of every feed, as the health endpoint and `degraded` need it. */
export function feedHealth(feeds: readonly Feed[], states: FeedStates, now: UnixMs): readonly SourceHealth[] {
  return feeds.map((feed) => {
    const state = states.get(feed.id);
    return {
      id: feed.id,
      ...(feed.effect.kind === 'risk' ? { riskType: feed.effect.riskType } : {}),
      ...(state.lastRunAt === undefined ? {} : { lastRunAt: state.lastRunAt }),
      ...(state.lastErrorAt === undefined ? {} : { lastErrorAt: state.lastErrorAt }),
      rows: state.rows,
      overdue: isOverdue(feed, state, now),
    };
  });
}

/**
 * Whether a source of evidence that has delivered before is past its bound, which makes verdicts `degraded`, as `isUnread` does. Lists about networks do not
 * count: they are not evidence.
 */
export function isLate(health: readonly SourceHealth[]): boolean {
  return health.some((source) => source.overdue && source.riskType !== undefined);
}
