import type { Feed } from '../../core/feeds/feed.ts';
import type { FeedReader, FeedReading, Validators } from '../../service/feed-ports.ts';
import { WorkerCalls } from '../system/worker-calls.ts';
import { KeptBodies } from './kept-bodies.ts';
import type { ReadRequest } from './read-feed.ts';

/** A worker thread that reads feeds; started when first needed, ended by `close`. */
export class ReadWorker {
  readonly #calls = new WorkerCalls<ReadRequest, FeedReading>(new URL('./read-worker.ts', import.meta.url), { ended: 'the reading thread ended' });

  read(request: ReadRequest): Promise<FeedReading> {
    return this.#calls.call(request);
  }

  close(): Promise<void> {
    return this.#calls.close();
  }
}

/** Reads feeds from their publishers, or from a mirror that serves them under their file names. */
export function webReader(worker: Pick<ReadWorker, 'read'>, bodies: string, mirror?: string): FeedReader {
  return {
    read: (feed: Feed, validators: Validators | undefined) => worker.read({ from: 'web', feed, urls: addressesOf(feed, mirror), validators, bodies }),
    keep: (feed: Feed) => new KeptBodies(bodies).accept(feed.id),
  };
}

/** Where a feed is asked for. A mirror is asked for `<file>` and `<file>.gz`, for each of the feed's file names in order. */
function addressesOf(feed: Feed, mirror: string | undefined): readonly string[] {
  if (mirror === undefined) return feed.url === '' ? [] : [feed.url, ...(feed.alternatives ?? [])];
  const base = mirror.replace(/\/*$/, '/');
  return feed.files.flatMap((file) => [new URL(file, base).href, new URL(`${file}.gz`, base).href]);
}

/** Reads one file as a feed. */
export const fileReader = (worker: Pick<ReadWorker, 'read'>, path: string): FeedReader => ({
  read: (feed) => worker.read({ from: 'file', feed, path }),
  keep: () => {},
});
