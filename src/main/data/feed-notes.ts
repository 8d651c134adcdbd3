import type { FeedState } from '../../service/feeds/feed-ports.ts';
import { type FeedsTarget, openFeedStates } from '../feeds/open-feeds.ts';

/** Notes of the data folder about every feed of the catalogue, as it is sent to the threads that answer requests. */
export interface FeedNotes {
  readonly states: ReadonlyMap<string, FeedState>;
  readonly off: ReadonlySet<string>;
}

/** Before anything was read. */
export const NO_FEED_NOTES: FeedNotes = { states: new Map(), off: new Set() };

/** Reads a small file for each feed. */
export function readFeedNotes(config: Pick<FeedsTarget, 'dataDir'>): FeedNotes {
  const { catalogue, states, switches } = openFeedStates(config);
  return { states: new Map(catalogue.map(({ id }) => [id, states.get(id)])), off: switches.off() };
}
