import type { MemoryLedger } from '../../adapters/counters/memory/memory-ledger.ts';
import { readCounts } from '../../apps/http/request-counts.ts';
import type { MetricsSources } from '../../apps/http/routes/metrics/render-metrics.ts';
import type { Config } from '../../config.ts';
import { HOUR_MS } from '../../core/units.ts';
import { feedHealth } from '../../service/feed-health.ts';
import type { Clock, HistoryStore, LookupView, SourceHealth } from '../../service/ports.ts';
import { openFeedStates } from '../feeds/open-feeds.ts';
import type { ThreadData } from '../threads/thread-data.ts';

export interface MetricsOptions {
  readonly config: Config;
  readonly clock: Clock;
  /** Counters of all threads. */
  readonly buffer: SharedArrayBuffer;
  readonly local: MemoryLedger;
  readonly history: HistoryStore | undefined;
  readonly data: Pick<ThreadData, 'built' | 'dropped'>;
  readonly view: () => LookupView | undefined;
}

/** Where GET /metrics takes its numbers from. */
export function metricsSources({ config, clock, buffer, local, history, data, view }: MetricsOptions): MetricsSources {
  return {
    counts: () => readCounts(buffer),
    view,
    built: () => data.built(),
    dropped: () => data.dropped(),
    ledger: () => local.occupancy(),
    redis: config.redisUrl !== undefined,
    feeds: () => sourcesOf(config, clock, history),
    leftOut: async () => await history?.leftOutAt(clock.now()),
    quarantined: () => quarantinedOf(config),
    now: () => clock.now(),
  };
}

/** Feeds as this node's state files describe them, and what else is in the store: on a node that reads no feeds itself that is all of them. */
async function sourcesOf(config: Config, clock: Clock, history: HistoryStore | undefined): Promise<readonly SourceHealth[]> {
  const { catalogue, states } = openFeedStates(config);
  const now = clock.now();
  const own = feedHealth(catalogue, states, now).filter(({ lastRunAt, lastErrorAt }) => lastRunAt ?? lastErrorAt);
  const bounds = new Map(catalogue.map(({ id, maxAgeHours }) => [id, maxAgeHours * HOUR_MS]));
  const known = new Set(own.map(({ id }) => id));
  const stored = ((await history?.sources()) ?? []).filter(({ id }) => !known.has(id));
  const overdue = ({ id, lastRunAt }: SourceHealth): boolean => lastRunAt !== undefined && now - lastRunAt > (bounds.get(id) ?? Number.POSITIVE_INFINITY);
  return [...own, ...stored.map((source) => ({ ...source, overdue: overdue(source) }))];
}

/** Ids of the feeds with a reading in quarantine on this node. */
function quarantinedOf(config: Config): readonly string[] {
  const { catalogue, quarantine } = openFeedStates(config);
  return catalogue.map(({ id }) => id).filter((id) => quarantine.get(id) !== undefined);
}
