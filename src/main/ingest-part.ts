import type { ControlPart } from './control-part.ts';
import { HistoryThread } from './history-thread.ts';
import { startIngest } from './open-feeds.ts';

/** Keeps feeds fresh as PULSE_FEEDS says, and tells HTTP threads whether a source is missing. Network lists land in the data folder, where the geo part finds them. */
export const ingestPart: ControlPart = {
  name: 'feeds',
  async start({ config, log, clock, publisher, requests }) {
    const store = new HistoryThread(config);
    const running = startIngest({
      config,
      store,
      clock,
      log,
      onNetworkLists: (lists) => log.info({ lists: lists.map(({ id }) => id) }, 'network lists changed'),
      onHealth: (_health, degraded) => publisher.degraded('feeds', degraded),
    });
    requests.onRefreshFeed((id) => running.ingest.refreshNow(id));
    return {
      async stop() {
        await running.stop();
        await store.close();
      },
    };
  },
};
