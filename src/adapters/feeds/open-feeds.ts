import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { Feed } from '../../core/feeds/feed.ts';
import { parsePrefix } from '../../core/ip/prefix.ts';
import type { FeedsFrom, FollowedFeeds } from '../../service/feeds/feed-health.ts';
import type { FeedNotes } from '../../service/feeds/feed-notes.ts';
import type {
  FeedReader,
  FeedStates,
  FeedSwitchStore,
  MirrorContent,
  Quarantine,
} from '../../service/feeds/feed-ports.ts';
import type { MirrorOptions } from '../../service/feeds/import-mirror.ts';
import type { Clock, HistoryWriter } from '../../service/ports.ts';
import { hasRelayRanges } from '../layers/find-network-lists.ts';
import { readBody } from '../system/read-body.ts';
import { CATALOGUE } from './catalogue.ts';
import { fileReader, webReader } from './feed-reader.ts';
import { FeedStateFiles } from './feed-state-files.ts';
import { FeedSwitchFiles } from './feed-switch-files.ts';
import { MirrorContentFile } from './mirror-content-file.ts';
import { NetworkListFiles } from './network-list-files.ts';
import { QuarantineFiles } from './quarantine-files.ts';
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
