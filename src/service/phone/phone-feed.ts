import type { Feed, FeedBounds } from '../../core/feeds/feed.ts';
import type { UnixMs } from '../../core/units.ts';
import type { FeedState, Validators } from '../feeds/feed-ports.ts';

/**
 * - `commits`: Atom feed of the file's commits. It dates the content if the list itself does not.
 * - `bounds`: a reading outside these bounds on numbers and unpacked bytes is refused as a whole.
 * - `form`: `numbers` has one per line. `dates` is a JSON object of numbers and the day on which each was last seen.
 */
export interface PhoneFeed
  extends Pick<
    Feed,
    'id' | 'title' | 'url' | 'licence' | 'attribution' | 'redistribution' | 'cadenceMin' | 'maxAgeHours' | 'files'
  > {
  readonly commits?: string;
  readonly bounds: FeedBounds;
  readonly form: 'numbers' | 'dates';
  readonly tag: number;
}

export type PhoneFeedReading =
  | { readonly status: 'unchanged' }
  | {
      readonly status: 'fresh';
      readonly content: string;
      readonly entries: ReadonlyMap<string, string | undefined>;
      readonly publishedAt: UnixMs | undefined;
      readonly validators: Validators;
    };

/**
 * A place that phone lists come from. It must not read the clock or put a number into an error. `read` throws with
 * the cause where the list cannot be read.
 */
export interface PhoneFeedReader {
  read(feed: PhoneFeed, validators: Validators | undefined): Promise<PhoneFeedReading>;
}

export interface PhoneFeedState extends FeedState {
  /**
   * Versions of the libraries that received the list. After another full load the list must be imported
   * again.
   */
  readonly libraries?: string;
}

export interface PhoneFeedStates {
  get(id: string): PhoneFeedState;
  put(id: string, state: PhoneFeedState): void;
}
