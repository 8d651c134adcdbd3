import type { ControlPart } from '../control-part.ts';
import { HistoryThread } from '../evidence/history-thread.ts';
import { startIngest } from './open-feeds.ts';

/** By then a capture that was accepted is seen by every thread, or the evidence part has said that it is late. */
const SEEN_MS = 3000;

/** Keeps feeds fresh as PULSE_FEEDS says, and tells HTTP threads whether a source is missing. Network lists land in the data folder, where the geo part finds them. */
export const ingestPart: ControlPart = {
  name: 'feeds',
  async start({ config, log, clock, publisher, requests }) {
    const store = new HistoryThread(config);
    let seen: NodeJS.Timeout | undefined;
    /** Verdicts lack a source until what it brought is seen, not only until it was read. */
    const tell = (degraded: boolean): void => {
      if (degraded) {
        clearTimeout(seen);
        seen = undefined;
        publisher.degraded('feeds', true);
      } else seen ??= setTimeout(() => publisher.degraded('feeds', false), SEEN_MS);
    };
    const running = startIngest({
      config,
      store,
      clock,
      log,
      onNetworkLists: (lists) => log.info({ lists: lists.map(({ id }) => id) }, 'network lists changed'),
      onHealth: (_health, degraded) => tell(degraded),
    });
    requests.onRefreshFeed((id) => running.ingest.refreshNow(id));
    return {
      async stop() {
        clearTimeout(seen);
        await running.stop();
        await store.close();
      },
    };
  },
};
