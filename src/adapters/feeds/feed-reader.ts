import type { Feed } from '../../core/feeds/feed.ts';
import type { FeedReader, FeedReading, Validators } from '../../service/feeds/feed-ports.ts';
import { packedNames } from '../system/packed-name.ts';
import { BodyFiles } from './body-files.ts';
import { commitFeedOf } from './commit-time.ts';
import { type ReadRequest, readFeed } from './read-feed.ts';

/**
 * Reads feeds from their publishers, or from a mirror that serves them under their file names. @param read
 * makes one reading
 */
export function webReader(
  bodies: string,
  mirror?: string,
  read: (request: ReadRequest) => ReturnType<typeof readFeed> = readFeed,
): FeedReader {
  return {
    read: (feed: Feed, validators: Validators | undefined) =>
      read({ from: 'web', feed, urls: addressesOf(feed, mirror), ...publisherOf(feed, mirror), validators, bodies }),
    keep: async (feed: Feed, { status, body }: FeedReading) => {
      if (status === 'fresh') await new BodyFiles(bodies).keep(feed.id, body);
    },
  };
}

function publisherOf(
  feed: Feed,
  mirror: string | undefined,
): Pick<ReadRequest & { from: 'web' }, 'mirror' | 'commits'> {
  if (mirror !== undefined) return { mirror: new URL(mirror.replace(/\/*$/, '/')).href };
  const commits = commitFeedOf(feed.url);
  return commits === undefined ? {} : { commits };
}

/** A mirror is asked for `<file>`, `<file>.gz` and `<file>.zst`, for each of the feed's file names in order. */
function addressesOf(feed: Feed, mirror: string | undefined): readonly string[] {
  if (mirror === undefined) return feed.url === '' ? [] : [feed.url, ...(feed.alternatives ?? [])];
  const base = mirror.replace(/\/*$/, '/');
  return feed.files.flatMap(packedNames).map((file) => new URL(file, base).href);
}

export const fileReader = (path: string): FeedReader => ({
  read: (feed) => readFeed({ from: 'file', feed, path }),
  keep: () => {},
});
