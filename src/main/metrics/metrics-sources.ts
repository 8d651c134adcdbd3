import { readdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { storeFaultOf } from '../../adapters/database/store-fault-of.ts';
import { openFeedStates } from '../../adapters/feeds/open-feeds.ts';
import type { PublishedData } from '../../adapters/snapshots/published-data.ts';
import type { MetricsSources } from '../../apps/metrics/render-metrics.ts';
import { type Config, VERSION } from '../../config.ts';
import { HOUR_MS } from '../../core/units.ts';
import { feedHealth } from '../../service/feeds/feed-health.ts';
import type { Clock, HistoryPast, HistoryUpkeep, SourceHealth } from '../../service/ports.ts';
import type { ControlThreads } from '../threads/control-threads.ts';
import { layersSeen } from './layers-seen.ts';

export interface MetricsOptions {
  readonly config: Config;
  readonly clock: Clock;
  /** Undefined on a node that answers no lookups. */
  readonly threads: Pick<ControlThreads, 'counts' | 'ledgerOccupancy'> | undefined;
  readonly data: PublishedData;
  readonly history: (() => Promise<HistoryPast & HistoryUpkeep>) | undefined;
  readonly sensors: MetricsSources['sensors'];
}

export function metricsSources({ config, clock, threads, data, history, sensors }: MetricsOptions): MetricsSources {
  return {
    counts: () => threads?.counts(),
    data: () => data.state(),
    built: () => data.built(),
    layers: () => layersSeen(config),
    dropped: () => data.dropped(),
    ledger: () => threads?.ledgerOccupancy(),
    redis: config.redisUrl !== undefined,
    storeFaultOf,
    feeds: async () => sourcesOf(config, clock, await history?.()),
    leftOut: async () => await (await history?.())?.leftOutAt(clock.now()),
    sensors,
    quarantined: () => quarantinedOf(config),
    disk: () => diskOf(config.dataDir),
    openFiles,
    build: { version: VERSION, runtime: process.version },
    now: () => clock.now(),
  };
}

/**
 * Returns feeds from this node's state files, and other sources from the store. A node that reads no feeds
 * has all of them from the store.
 */
async function sourcesOf(
  config: Config,
  clock: Clock,
  history: Pick<HistoryUpkeep, 'sources'> | undefined,
): Promise<readonly SourceHealth[]> {
  const { catalogue, states } = openFeedStates(config);
  const now = clock.now();
  const own = feedHealth(catalogue, states, now).filter(({ lastRunAt, lastErrorAt }) => lastRunAt ?? lastErrorAt);
  const bounds = new Map(catalogue.map(({ id, maxAgeHours }) => [id, maxAgeHours * HOUR_MS]));
  const known = new Set(own.map(({ id }) => id));
  const stored = ((await history?.sources()) ?? []).filter(({ id }) => !known.has(id));
  const overdue = ({ id, lastRunAt }: SourceHealth): boolean =>
    lastRunAt !== undefined && now - lastRunAt > (bounds.get(id) ?? Number.POSITIVE_INFINITY);
  return [...own, ...stored.map((source) => ({ ...source, overdue: overdue(source) }))];
}

function quarantinedOf(config: Config): readonly string[] {
  const { catalogue, quarantine } = openFeedStates(config);
  return catalogue.map(({ id }) => id).filter((id) => quarantine.get(id) !== undefined);
}

const diskOf = (dataDir: string): ReturnType<MetricsSources['disk']> =>
  statfs(dataDir).then(
    ({ bavail, blocks, bsize }) => ({ freeBytes: bavail * bsize, sizeBytes: blocks * bsize }),
    () => undefined,
  );

/** Linux lists the open files of a process here; elsewhere the folder does not exist. */
function openFiles(): number | undefined {
  try {
    return readdirSync('/proc/self/fd').length;
  } catch {
    return undefined;
  }
}
