import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Feed } from '../../core/feeds/feed.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import { parseJson } from '../../core/kit/json.ts';
import type { FeedsFrom, FollowedFeeds } from '../../service/feeds/feed-health.ts';
import type {
  FeedNotes,
  FeedReader,
  FeedReading,
  FeedStates,
  FeedSwitchStore,
  MirrorContent,
  Quarantine,
  Validators,
} from '../../service/feeds/feed-ports.ts';
import type { MirrorOptions } from '../../service/feeds/import-mirror.ts';
import type { Clock, HistoryWriter } from '../../service/ports.ts';
import { hasRelayRanges } from '../layers/find-network-lists.ts';
import { readOptionalFile } from '../system/files.ts';
import { packedNames } from '../system/map-file.ts';
import { readBody } from '../system/read-body.ts';
import { writeDurablySync } from '../system/write-durably.ts';
import { BodyFiles } from './body-files.ts';
import { CATALOGUE } from './catalogue.ts';
import { commitFeedOf } from './commit-time.ts';
import { FeedStateFiles } from './feed-state-files.ts';
import { FeedSwitchFiles } from './feed-switch-files.ts';
import { NetworkListFiles } from './network-list-files.ts';
import { QuarantineFiles } from './quarantine-files.ts';
import { type ReadRequest, readFeed } from './read-feed.ts';
import { scanMirror } from './scan-mirror.ts';

export type FeedsTarget = Pick<Config, 'dataDir' | 'feeds'>;

export interface OpenFeeds {
  readonly catalogue: readonly Feed[];
  readonly states: FeedStates;
  readonly switches: FeedSwitchStore;
  readonly mirror: MirrorContent;
  readonly quarantine: Quarantine;
  readonly parts: MirrorOptions;
  readonly web: FeedReader;
  readonly scan: typeof scanMirror;
}

export interface FeedFiles {
  readonly catalogue: readonly Feed[];
  readonly states: FeedStateFiles;
  readonly switches: FeedSwitchFiles;
  readonly mirror: MirrorContentFile;
  readonly quarantine: QuarantineFiles;
}

export function openFeedStates(config: Pick<Config, 'dataDir'>): FeedFiles {
  const folder = join(config.dataDir, 'feeds');
  return {
    catalogue: CATALOGUE,
    states: new FeedStateFiles(folder),
    switches: new FeedSwitchFiles(folder),
    mirror: new MirrorContentFile(folder),
    quarantine: new QuarantineFiles(folder),
  };
}

export function openFeeds(options: {
  readonly config: FeedsTarget;
  readonly store: HistoryWriter;
  readonly clock: Clock;
  readonly own?: readonly string[];
}): OpenFeeds {
  const { config, store, clock, own = [] } = options;
  const folder = join(config.dataDir, 'feeds');
  const { states, switches, mirror, quarantine } = openFeedStates(config);
  const address =
    typeof config.feeds === 'object' && isWebAddress(config.feeds.mirror) ? config.feeds.mirror : undefined;
  return {
    catalogue: CATALOGUE,
    states,
    switches,
    mirror,
    quarantine,
    web: webReader(folder, address),
    scan: scanMirror,
    parts: {
      store,
      clock,
      states,
      quarantine,
      own: own.map((text) => parsePrefix(text)!),
      networks: new NetworkListFiles(join(config.dataDir, 'network'), () => hasRelayRanges(config.dataDir)),
      readerOf: (path) => fileReader(path),
      bodyOf: (path, maxBytes) => readBody(readFileSync(path), maxBytes),
    },
  };
}

export function readFeedNotes(config: Pick<Config, 'dataDir'>): FeedNotes {
  const { catalogue, states, switches, mirror } = openFeedStates(config);
  return {
    states: new Map(catalogue.map(({ id }) => [id, states.get(id)])),
    off: switches.off(),
    held: mirror.held(),
  };
}

export function followedFeeds(config: FeedsTarget, { states, switches, mirror }: FeedFiles): FollowedFeeds {
  return { states, off: switches.off(), held: mirror.held(), from: feedsFrom(config) };
}

export function feedsFrom({ feeds }: Pick<Config, 'feeds'>): FeedsFrom {
  if (feeds === 'off') return 'off';
  return feeds === 'auto' || isWebAddress(feeds.mirror) ? 'schedule' : 'folder';
}

export const isWebAddress = (text: string): boolean => /^https?:\/\//.test(text);

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

export class MirrorContentFile implements MirrorContent {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  held(): ReadonlySet<string> {
    const bytes = readOptionalFile(this.#path);
    const ids = bytes && parseJson(String(bytes));
    return new Set(Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : []);
  }

  note(ids: ReadonlySet<string>): void {
    if (this.held().symmetricDifference(ids).size === 0) return;
    mkdirSync(this.#folder, { recursive: true });
    writeDurablySync(this.#path, `${JSON.stringify([...ids].sort())}\n`);
  }

  get #path(): string {
    return join(this.#folder, 'mirror.json');
  }
}
