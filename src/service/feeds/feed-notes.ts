import type { FeedState } from './feed-ports.ts';

/** Notes of the data folder about every feed of the catalogue, as it is sent to the threads that answer requests. */
export interface FeedNotes {
  readonly states: ReadonlyMap<string, FeedState>;
  readonly off: ReadonlySet<string>;
  /** Content of the mirror folder. */
  readonly held: ReadonlySet<string>;
}

/** Before anything was read. */
export const NO_FEED_NOTES: FeedNotes = { states: new Map(), off: new Set(), held: new Set() };
