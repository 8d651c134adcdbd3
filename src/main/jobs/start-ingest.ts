import { randomInt } from 'node:crypto';
import { type FeedsTarget, isWebAddress, type OpenFeeds, openFeeds } from '../../adapters/feeds/open-feeds.ts';
import { Ingest, type IngestLog, type IngestOptions, type IngestSource } from '../../apps/ingest/ingest.ts';
import type { NetworkList } from '../../core/place/network-list.ts';
import { relayFirst } from '../../service/feeds/due-at.ts';
import { isOnSchedule } from '../../service/feeds/feed-health.ts';
import { ReadingWatch } from '../../service/feeds/reading-watch.ts';
import type { Clock, HistoryWriter } from '../../service/ports.ts';

/**
 * - `died`: feeds that were being read when an earlier thread died. Their next reading fails at once and is recorded,
 *   so that they wait as after any failure.
 * - `hasNetworkData`: tells whether the store has network data to judge captures by. Without this option runs are
 *   accepted without it.
 * - `onNetworkLists`: called when lists about networks changed and the compiled tables should be rebuilt. Their files
 *   are in `<data folder>/network`.
 */
export interface StartIngest {
  readonly config: FeedsTarget;
  readonly store: HistoryWriter;
  readonly clock: Clock;
  readonly log: IngestLog;
  readonly own?: readonly string[];
  readonly died: readonly string[];
  readonly hasNetworkData?: () => boolean;
  readonly onNetworkLists: (lists: readonly NetworkList[]) => void;
  readonly onHealth: IngestOptions['onHealth'];
  readonly onUnderWay: (ids: readonly string[]) => void;
  readonly onFault?: IngestOptions['onFault'];
}

export interface RunningIngest {
  readonly ingest: Ingest;
  /** Starts no further readings. Those under way are aborted, except one that is being stored. */
  stop(): Promise<void>;
}

export function startIngest(options: StartIngest): RunningIngest {
  const feeds = openFeeds(options);
  const watch = new ReadingWatch(options);
  const ingest = new Ingest({
    ...feeds.parts,
    ...(options.hasNetworkData && { hasNetworkData: options.hasNetworkData }),
    states: watch.states(feeds.states),
    readerOf: (path) => watch.reader(feeds.parts.readerOf(path)),
    source: sourceOf(options.config, { ...feeds, web: watch.reader(feeds.web) }),
    catalogue: feeds.catalogue,
    switches: feeds.switches,
    mirror: feeds.mirror,
    onNetworkLists: options.onNetworkLists,
    onHealth: options.onHealth,
    onFault: options.onFault,
    log: options.log,
    random: () => randomInt(2 ** 32) / 2 ** 32,
  });
  ingest.start();
  return {
    ingest,
    stop: () => {
      // The schedule stops first, so that it starts nothing when readings end.
      const stopped = ingest.stop();
      watch.stop();
      return stopped;
    },
  };
}

function sourceOf(config: FeedsTarget, feeds: OpenFeeds): IngestSource {
  if (config.feeds === 'off') return { kind: 'off' };
  const scheduled = relayFirst(feeds.catalogue.filter(isOnSchedule), (feed) => feed);
  if (config.feeds === 'auto') return { kind: 'schedule', reader: feeds.web, feeds: scheduled };
  const { mirror } = config.feeds;
  if (isWebAddress(mirror)) return { kind: 'schedule', reader: feeds.web, feeds: scheduled };
  return { kind: 'folder', scan: () => feeds.scan(mirror) };
}
