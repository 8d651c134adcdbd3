import type { BackgroundJob } from '../background-job.ts';
import { HistoryThread } from '../evidence/history-thread.ts';
import { startIngest } from './open-feeds.ts';

/** After this long every thread sees an accepted capture, or the evidence job has reported that it is late. */
const SEEN_MS = 3000;

/** Keeps feeds fresh as PULSE_FEEDS says, and publishes whether a source is missing. Network lists are written to the data folder, where the job for place and network finds them. */
export const ingestJob: BackgroundJob = {
  name: 'feeds',
  async start({ config, log, clock, publish, requests }) {
    const store = new HistoryThread(config);
    let seen: NodeJS.Timeout | undefined;
    /** Verdicts lack a source until what it brought is seen, not only until it was read. */
    const tell = (degraded: boolean): void => {
      if (degraded) {
        clearTimeout(seen);
        seen = undefined;
        publish({ type: 'degraded', by: 'feeds', degraded: true });
      } else seen ??= setTimeout(() => publish({ type: 'degraded', by: 'feeds', degraded: false }), SEEN_MS);
    };
    const running = startIngest({
      config,
      store,
      clock,
      log,
      onNetworkLists: (lists) => log.info({ lists: lists.map(({ id }) => id) }, 'network lists changed'),
      onHealth: (_health, degraded) => tell(degraded),
    });
    requests?.onRefreshFeed((id) => running.ingest.refreshNow(id));
    return {
      async stop() {
        clearTimeout(seen);
        await running.stop();
        await store.close();
      },
    };
  },
};
