import type { FollowedFeeds } from '../../src/service/feeds/feed-health.ts';
import type { MirrorContent } from '../../src/service/feeds/feed-ports.ts';

export const allOnSchedule = (states: FollowedFeeds['states']): FollowedFeeds => ({
  states,
  off: new Set(),
  held: new Set(),
  from: 'schedule',
});

export function mirrorContent(): MirrorContent {
  let held: ReadonlySet<string> = new Set();
  return {
    held: () => held,
    note: (ids) => {
      held = ids;
    },
  };
}
