import { fault } from '../../core/texts/said.ts';
import type { FeedReader, FeedStates } from './feed-ports.ts';
import { ReadingStopped } from './refresh-feed.ts';

interface WatchOptions {
  readonly died: readonly string[];
  readonly onUnderWay: (ids: readonly string[]) => void;
}

/** A feed is being taken in from the start of a reading until its outcome is in the feed's state. */
export class ReadingWatch {
  readonly #died: Set<string>;
  readonly #underWay = new Set<string>();
  readonly #onUnderWay: (ids: readonly string[]) => void;
  readonly #stopped = Promise.withResolvers<never>();

  constructor({ died, onUnderWay }: WatchOptions) {
    this.#died = new Set(died);
    this.#onUnderWay = onUnderWay;
    // Readings race against it; without one, nothing else handles its rejection.
    this.#stopped.promise.catch(() => undefined);
  }

  reader(inner: FeedReader): FeedReader {
    return {
      read: async (feed, validators) => {
        if (this.#died.delete(feed.id)) throw fault('the thread that read it died');
        this.#note(() => this.#underWay.add(feed.id));
        return Promise.race([inner.read(feed, validators), this.#stopped.promise]);
      },
      keep: (feed, reading) => inner.keep(feed, reading),
    };
  }

  states(inner: FeedStates): FeedStates {
    return {
      get: (id) => inner.get(id),
      put: (id, state) => {
        inner.put(id, state);
        this.#note(() => this.#underWay.delete(id));
      },
    };
  }

  stop(): void {
    this.#stopped.reject(new ReadingStopped('the service was stopped'));
  }

  #note(change: () => void): void {
    change();
    this.#onUnderWay([...this.#underWay]);
  }
}
