import type { Feed } from '../core/feeds/feed.ts';
import { HOUR_MS, type UnixMs } from '../core/units.ts';
import type { FeedState, FeedStates } from './feed-ports.ts';
import type { SourceHealth } from './ports.ts';

/**
 * Whether a feed's last reading is older than its bound. A listing is as old as its publication says; a source of events or appearances that was read and had
 * nothing new is not late. A feed that never succeeded is not overdue: it was never part of what verdicts rest on.
 */
export function isOverdue(feed: Feed, { lastSuccessAt, lastRunAt }: FeedState, now: UnixMs): boolean {
  if (lastSuccessAt === undefined) return false;
  return now - (feed.mode === 'listing' ? (lastRunAt ?? lastSuccessAt) : lastSuccessAt) > feed.maxAgeHours * HOUR_MS;
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
 * When verdicts are `degraded` on account of feeds: a source of evidence that has delivered before is past its bound. Lists about networks do not count
 * (they are no evidence), and neither do sources that never delivered on this machine: one without a network starts, says so, and answers from what it has.
 */
export function isDegraded(health: readonly SourceHealth[]): boolean {
  return health.some((source) => source.overdue && source.riskType !== undefined);
}
