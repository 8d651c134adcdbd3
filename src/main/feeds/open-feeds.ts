import { randomInt } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CATALOGUE } from '../../adapters/feeds/catalogue.ts';
import { fileReader, ReadWorker, webReader } from '../../adapters/feeds/feed-reader.ts';
import { FeedStateFiles } from '../../adapters/feeds/feed-state-files.ts';
import { scanMirror } from '../../adapters/feeds/mirror-folder.ts';
import { NetworkListFiles } from '../../adapters/feeds/network-list-files.ts';
import { readBody } from '../../adapters/feeds/read-body.ts';
import { systemClock } from '../../adapters/system/clock.ts';
import { Ingest, type IngestLog, type IngestSource } from '../../apps/ingest/ingest.ts';
import type { Config } from '../../config.ts';
import type { Feed } from '../../core/feeds/feed.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import type { MirrorParts } from '../../service/feed-mirror.ts';
import type { FeedReader, FeedStates } from '../../service/feed-ports.ts';
import type { Clock, HistoryWriter, SourceHealth } from '../../service/ports.ts';
import { openDataFolder } from '../data-folder/open-data-folder.ts';
import { refuseDemoFolder } from '../demo/open-demo-folder.ts';
import { openHistory } from '../evidence/open-history.ts';

export interface OpenFeeds {
  readonly catalogue: readonly Feed[];
  readonly states: FeedStates;
  /** Everything an import or a refresh needs. */
  readonly parts: MirrorParts;
  /** From the publishers, or from the mirror address of PULSE_FEEDS. */
  readonly web: FeedReader;
  readonly scan: typeof scanMirror;
  close(): Promise<void>;
}

/** Catalogue and states alone, for commands that only show them. */
export function openFeedStates(config: Config): Pick<OpenFeeds, 'catalogue' | 'states'> {
  return { catalogue: CATALOGUE, states: new FeedStateFiles(join(config.dataDir, 'feeds')) };
}

/** Feeds as one data folder knows them: what a refresh, an import and the schedule share. */
function openFeeds(options: { readonly config: Config; readonly store: HistoryWriter; readonly clock: Clock }): OpenFeeds {
  const { config, store, clock } = options;
  const worker = new ReadWorker();
  const folder = join(config.dataDir, 'feeds');
  const { states } = openFeedStates(config);
  const mirror = typeof config.feeds === 'object' && isWebAddress(config.feeds.mirror) ? config.feeds.mirror : undefined;
  return {
    catalogue: CATALOGUE,
    states,
    web: webReader(worker, folder, mirror),
    scan: scanMirror,
    parts: {
      store,
      clock,
      states,
      networks: new NetworkListFiles(join(config.dataDir, 'network')),
      readerOf: (path) => fileReader(worker, path),
      bodyOf: (path, maxBytes) => readBody(readFileSync(path), maxBytes),
    },
    close: () => worker.close(),
  };
}

/** The same for a command: opens the evidence store itself and closes everything at the end. */
export async function withFeeds<T>(config: Config, work: (feeds: OpenFeeds) => Promise<T>): Promise<T> {
  mkdirSync(config.dataDir, { recursive: true });
  refuseDemoFolder(config);
  const folder = await openDataFolder(config);
  const store = await openHistory(config);
  await folder.settle();
  const feeds = openFeeds({ config, store, clock: systemClock });
  try {
    return await work(feeds);
  } finally {
    await feeds.close();
    await store.close();
  }
}

const isWebAddress = (text: string): boolean => /^https?:\/\//.test(text);

/** Folder of a PULSE_FEEDS mirror: a path or file:// address. */
const mirrorFolder = (mirror: string): string => (mirror.startsWith('file://') ? new URL(mirror).pathname : mirror);

export interface StartIngest {
  readonly config: Config;
  readonly store: HistoryWriter;
  readonly clock: Clock;
  readonly log: IngestLog;
  /** Lists about networks changed; their files are in `<data folder>/network`. Time to rebuild what is compiled from them. */
  readonly onNetworkLists: (lists: readonly NetworkList[]) => void;
  /** State of every source, and whether verdicts are degraded on their account. Called at every change and once a minute. */
  readonly onHealth: (health: readonly SourceHealth[], degraded: boolean) => void;
}

export interface RunningIngest {
  readonly ingest: Ingest;
  /** Resolves when nothing is being read. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts keeping feeds fresh as PULSE_FEEDS says. Returns at once; reading and parsing happen in a worker thread, rows are stored from this one. */
export function startIngest(options: StartIngest): RunningIngest {
  const feeds = openFeeds(options);
  const ingest = new Ingest({
    ...feeds.parts,
    source: sourceOf(options.config, feeds),
    catalogue: feeds.catalogue,
    onNetworkLists: options.onNetworkLists,
    onHealth: options.onHealth,
    log: options.log,
    random: () => randomInt(2 ** 32) / 2 ** 32,
  });
  ingest.start();
  return {
    ingest,
    idle: () => ingest.idle(),
    stop: async () => {
      // First the schedule, so that it begins nothing while what is being read ends.
      const stopped = ingest.stop();
      await feeds.close();
      await stopped;
    },
  };
}

function sourceOf(config: Config, feeds: OpenFeeds): IngestSource {
  if (config.feeds === 'off') return { kind: 'off' };
  const scheduled = feeds.catalogue.filter((feed) => feed.scheduled !== false && feed.url !== '');
  if (config.feeds === 'auto') return { kind: 'schedule', reader: feeds.web, feeds: scheduled };
  const { mirror } = config.feeds;
  if (isWebAddress(mirror)) return { kind: 'schedule', reader: feeds.web, feeds: scheduled };
  return { kind: 'folder', scan: () => feeds.scan(mirrorFolder(mirror)) };
}
