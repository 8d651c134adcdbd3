import type { FeedState } from './feed-ports.ts';

export interface FeedNotes {
  readonly states: ReadonlyMap<string, FeedState>;
  readonly off: ReadonlySet<string>;
  readonly held: ReadonlySet<string>;
}

export const NO_FEED_NOTES: FeedNotes = { states: new Map(), off: new Set(), held: new Set() };
