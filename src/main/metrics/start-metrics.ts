import { HeartbeatsOnDemand } from '../../adapters/evidence/heartbeats-on-demand.ts';
import { HistoryOnDemand } from '../../adapters/evidence/history-on-demand.ts';
import type { Logger } from '../../adapters/system/create-logger.ts';
import { createMetricsServer } from '../../apps/metrics/create-metrics-server.ts';
import { type MetricsOptions, metricsSources } from './metrics-sources.ts';

export interface StartMetricsOptions extends Omit<MetricsOptions, 'history' | 'sensors'> {
  readonly log: Logger;
}

/** Listens for scrapes where PULSE_METRICS says. An address that cannot be listened on costs the metrics, not the service: a warning names it. */
export async function startMetrics({ log, ...options }: StartMetricsOptions): Promise<{ stop(): Promise<void> }> {
  const { metrics: address, history: hasPast, baseUrl } = options.config;
  if (address === undefined) return { async stop() {} };
  const history = hasPast ? new HistoryOnDemand(options.config, { forCallers: true }) : undefined;
  const sensors = new HeartbeatsOnDemand(options.config);
  const names = [address.host, ...(baseUrl === undefined ? [] : [new URL(baseUrl).hostname])].map((name) =>
    name.toLowerCase(),
  );
  const server = createMetricsServer({ sources: metricsSources({ ...options, history, sensors }), names, log });
  await new Promise<void>((resolve) => {
    server.once('listening', resolve);
    server.on('error', (error: NodeJS.ErrnoException) => {
      log.warn(
        { reason: error.code, ...address },
        'there are no metrics: PULSE_METRICS names an address that cannot be listened on',
      );
      resolve();
    });
    server.listen({ ...address, exclusive: true });
  });
  return {
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await history?.close();
      await sensors.close();
    },
  };
}
