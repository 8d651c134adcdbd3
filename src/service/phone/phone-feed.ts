import type { Feed, FeedBounds } from '../../core/feeds/feed.ts';
import type { UnixMs } from '../../core/units.ts';
import type { FeedState, Validators } from '../feeds/feed-ports.ts';

/** A public list of phone numbers as data: place, terms, interval, size and meaning. */
export interface PhoneFeed
  extends Pick<
    Feed,
    'id' | 'title' | 'url' | 'licence' | 'attribution' | 'redistribution' | 'cadenceMin' | 'maxAgeHours' | 'files'
  > {
  /** Feed of the commits of this file (Atom): when the content was published, where the list does not state it. */
  readonly commits?: string;
  /** Of numbers, and of bytes after decompression. A reading outside is refused whole. */
  readonly bounds: FeedBounds;
  /** `numbers`: one a line. `dates`: a JSON object of numbers and the day each was last seen. */
  readonly form: 'numbers' | 'dates';
  /** Risk tag of every number in it (core/phone/dictionary.ts). */
  readonly tag: number;
}

export type PhoneFeedReading =
  | { readonly status: 'unchanged' }
  | {
      readonly status: 'fresh';
      /** Digest of the content. */
      readonly content: string;
      /** Number in international form → when the list says it was seen; undefined when it does not. */
      readonly entries: ReadonlyMap<string, string | undefined>;
      /** When the publisher says this content is from; undefined when it does not. */
      readonly publishedAt: UnixMs | undefined;
      readonly validators: Validators;
    };

/** A place phone lists come from. Must not read the clock, and must not let a number into an error. */
export interface PhoneFeedReader {
  /** @throws Error with the cause when it cannot be read */
  read(feed: PhoneFeed, validators: Validators | undefined): Promise<PhoneFeedReading>;
}

export interface PhoneFeedState extends FeedState {
  /** Versions of the libraries it was put into: after another full load the list has to be taken in again. */
  readonly libraries?: string;
}

export interface PhoneFeedStates {
  get(id: string): PhoneFeedState;
  put(id: string, state: PhoneFeedState): void;
}
