import { openHistory } from '../../adapters/evidence/open-history.ts';
import type { Logger } from '../../adapters/system/create-logger.ts';
import { createMetricsServer } from '../../apps/metrics/create-metrics-server.ts';
import type { Heartbeat } from '../../core/collection/tally/collection-tally.ts';
import { type MetricsOptions, metricsSources } from './metrics-sources.ts';

export interface StartMetricsOptions extends Omit<MetricsOptions, 'history' | 'sensors'> {
  readonly log: Logger;
}

/**
 * Serves metrics at the address in PULSE_METRICS. If it cannot listen there, a warning names the address and
 * the service continues without metrics.
 */
export async function startMetrics({ log, ...options }: StartMetricsOptions): Promise<{ stop(): Promise<void> }> {
  const { metrics: address, history: hasPast, baseUrl } = options.config;
  if (address === undefined) return { async stop() {} };
  const { config } = options;
  const history = hasPast ? onDemand(() => openHistory(config, { forCallers: true })) : undefined;
  const records = onDemand(async () =>
    (await import('../../adapters/database/open-database.ts')).connectDatabase(config),
  );
  const sensors = async (): Promise<readonly Heartbeat[]> => {
    const { SqlCollectionStore } = await import('../../adapters/collection/sql-collection-store.ts');
    return new SqlCollectionStore(await records.get()).heartbeats();
  };
  const names = [address.host, ...(baseUrl === undefined ? [] : [new URL(baseUrl).hostname])].map((name) =>
    name.toLowerCase(),
  );
  const server = createMetricsServer({
    sources: metricsSources({ ...options, history: history?.get, sensors }),
    names,
    log,
  });
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
      await history?.close((store) => store.close());
      await records.close((db) => db.destroy());
    },
  };
}

function onDemand<Opened>(open: () => Promise<Opened>) {
  let opening: Promise<Opened> | undefined;
  return {
    get(): Promise<Opened> {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    async close(end: (opened: Opened) => unknown): Promise<void> {
      const opened = await opening?.catch(() => undefined);
      if (opened !== undefined) await end(opened);
    },
  };
}
