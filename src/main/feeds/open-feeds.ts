import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE } from '../../adapters/feeds/catalogue.ts';
import { fileReader, webReader } from '../../adapters/feeds/feed-reader.ts';
import { FeedStateFiles } from '../../adapters/feeds/feed-state-files.ts';
import { FeedSwitchFiles } from '../../adapters/feeds/feed-switch-files.ts';
import { NetworkListFiles } from '../../adapters/feeds/network-list-files.ts';
import { QuarantineFiles } from '../../adapters/feeds/quarantine-files.ts';
import { readBody } from '../../adapters/feeds/read-body.ts';
import { scanMirror } from '../../adapters/feeds/scan-mirror.ts';
import { knowsRelayRanges } from '../../adapters/layers/find-network-lists.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import type { Config } from '../../config.ts';
import type { Feed } from '../../core/feeds/feed.ts';
import type { FeedsFrom } from '../../service/feeds/feed-health.ts';
import type { FeedReader, FeedStates, FeedSwitches, Quarantine } from '../../service/feeds/feed-ports.ts';
import type { MirrorOptions } from '../../service/feeds/import-mirror.ts';
import type { Clock, HistoryWriter } from '../../service/ports.ts';
import { openDataFolder } from '../data-folder/open-data-folder.ts';
import { refuseDemoFolder } from '../demo/open-demo-folder.ts';
import { openHistory } from '../evidence/open-history.ts';
import { readGeoFacts } from '../place-data/read-current-geo.ts';

/** Where feeds come from, and where their states and lists are kept. */
export type FeedsTarget = Pick<Config, 'dataDir' | 'feeds'>;

export interface OpenFeeds {
  readonly catalogue: readonly Feed[];
  readonly states: FeedStates;
  readonly switches: FeedSwitches;
  readonly quarantine: Quarantine;
  /** Everything an import or a refresh needs. */
  readonly parts: MirrorOptions;
  /** From the publishers, or from the mirror address of PULSE_FEEDS. */
  readonly web: FeedReader;
  readonly scan: typeof scanMirror;
}

/** Notes about feeds in a data folder. */
export interface FeedFiles {
  readonly catalogue: readonly Feed[];
  readonly states: FeedStateFiles;
  readonly switches: FeedSwitchFiles;
  readonly quarantine: QuarantineFiles;
}

/** Catalogue, states, switches and quarantine alone, for processes that read no feed. */
export function openFeedStates(config: Pick<Config, 'dataDir'>): FeedFiles {
  const folder = join(config.dataDir, 'feeds');
  return {
    catalogue: CATALOGUE,
    states: new FeedStateFiles(folder),
    switches: new FeedSwitchFiles(folder),
    quarantine: new QuarantineFiles(folder),
  };
}

/** Feeds as one data folder knows them, shared by refresh, import and schedule. */
export function openFeeds(options: {
  readonly config: FeedsTarget;
  readonly store: HistoryWriter;
  readonly clock: Clock;
}): OpenFeeds {
  const { config, store, clock } = options;
  const folder = join(config.dataDir, 'feeds');
  const { states, switches, quarantine } = openFeedStates(config);
  const mirror =
    typeof config.feeds === 'object' && isWebAddress(config.feeds.mirror) ? config.feeds.mirror : undefined;
  return {
    catalogue: CATALOGUE,
    states,
    switches,
    quarantine,
    web: webReader(folder, mirror),
    scan: scanMirror,
    parts: {
      store,
      clock,
      states,
      quarantine,
      networks: new NetworkListFiles(join(config.dataDir, 'network'), () => knowsRelayRanges(config.dataDir)),
      readerOf: (path) => fileReader(path),
      bodyOf: (path, maxBytes) => readBody(readFileSync(path), maxBytes),
    },
  };
}

/** The same for a command: opens the evidence store itself and closes everything at the end. */
export async function withFeeds<T>(config: Config, work: (feeds: OpenFeeds) => Promise<T>): Promise<T> {
  mkdirSync(config.dataDir, { recursive: true });
  refuseDemoFolder(config);
  const folder = await openDataFolder(config);
  const geo = await readGeoFacts(config.dataDir);
  const store = await openHistory(config, { facts: () => geo.facts() });
  await folder.settle();
  const feeds = openFeeds({ config, store, clock: systemClock });
  try {
    return await work(feeds);
  } finally {
    await store.close();
  }
}

/** How PULSE_FEEDS has sources come: one by one, from a folder as a whole, or not at all. */
export function feedsComeFrom({ feeds }: Pick<Config, 'feeds'>): FeedsFrom {
  if (feeds === 'off') return 'off';
  return feeds === 'auto' || isWebAddress(feeds.mirror) ? 'schedule' : 'folder';
}

/** Whether a mirror is asked over the network; otherwise it is a folder. */
export const isWebAddress = (text: string): boolean => /^https?:\/\//.test(text);
