import { readdirSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { lastBackup } from '../../adapters/backup/last-backup.ts';
import { storeFaultOf } from '../../adapters/database/store-faults.ts';
import { openFeedStates } from '../../adapters/feeds/open-feeds.ts';
import type { PublishedData } from '../../adapters/snapshots/published-data.ts';
import type { MetricsSources } from '../../apps/metrics/render-metrics.ts';
import { type Config, VERSION } from '../../config.ts';
import { feedHealth } from '../../service/feeds/feed-health.ts';
import type { Clock, HistoryPast, HistoryUpkeep, SourceHealth } from '../../service/ports.ts';
import type { ControlThreads } from '../threads/control-threads.ts';
import { openFilesMax } from '../threads/file-budget.ts';
import { layersSeen } from './layers-seen.ts';

export interface MetricsOptions {
  readonly config: Config;
  readonly clock: Clock;
  readonly threads: Pick<ControlThreads, 'counts' | 'ledgerOccupancy'> | undefined;
  readonly data: PublishedData;
  readonly history: (() => Promise<HistoryPast & HistoryUpkeep>) | undefined;
  readonly sensors: MetricsSources['sensors'];
}

export function metricsSources({ config, clock, threads, data, history, sensors }: MetricsOptions): MetricsSources {
  return {
    counts: () => threads?.counts(),
    data,
    layers: () => layersSeen(config),
    ledger: () => threads?.ledgerOccupancy(),
    redis: config.redisUrl !== undefined,
    storeFaultOf,
    feeds: async () => sourcesOf(config, clock, await history?.()),
    leftOut: async () => await (await history?.())?.leftOutAt(clock.now()),
    sensors,
    quarantined: () => quarantinedOf(config),
    disk: () => diskOf(config.dataDir),
    openFiles,
    backedUp: () => lastBackup(config.dataDir),
    build: { version: VERSION, runtime: process.version },
    now: () => clock.now(),
  };
}

/**
 * Returns feeds from this node's state files without those switched off, and other sources from the
 * store, where the node that reads them notes which are missing.
 */
async function sourcesOf(
  config: Config,
  clock: Clock,
  history: (HistoryPast & HistoryUpkeep) | undefined,
): Promise<readonly SourceHealth[]> {
  const { catalogue, states, switches } = openFeedStates(config);
  const now = clock.now();
  const off = switches.off();
  const own = feedHealth(catalogue, states, now).filter(({ lastRunAt, lastErrorAt }) => lastRunAt ?? lastErrorAt);
  const known = new Set(own.map(({ id }) => id));
  const stored = ((await history?.sources()) ?? []).filter(({ id }) => !known.has(id));
  const missing = (await history?.leftOutAt(now))?.ids ?? [];
  return [
    ...own.filter(({ id }) => !off.has(id)),
    ...stored.map((source) => ({ ...source, overdue: missing.includes(source.id) })),
  ];
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

function openFiles(): ReturnType<MetricsSources['openFiles']> {
  try {
    return { open: readdirSync('/proc/self/fd').length, max: openFilesMax() };
  } catch {
    return undefined;
  }
}
