/** Entry of the thread that takes in readings from quarantine. Started by accept-thread.ts. */
import { workerData } from 'node:worker_threads';
import { systemClock } from '../../adapters/system/clock.ts';
import { answerCalls } from '../../adapters/system/worker-calls.ts';
import { type AcceptOutcome, acceptQuarantined } from '../../service/feeds/accept-quarantined.ts';
import { openHistory } from '../evidence/open-history.ts';
import { readGeoFacts } from '../place-data/read-current-geo.ts';
import type { AcceptCall, AcceptTarget } from './accept-thread.ts';
import { openFeeds } from './open-feeds.ts';

const config = workerData as AcceptTarget;

answerCalls<AcceptCall, AcceptOutcome>(async ({ id, digest }) => {
  const geo = await readGeoFacts(config.dataDir);
  const store = await openHistory(config, { facts: () => geo.facts() });
  try {
    const { catalogue, parts } = openFeeds({ config, store, clock: systemClock });
    const feed = catalogue.find((known) => known.id === id);
    return feed === undefined ? { status: 'none' } : await acceptQuarantined(feed, digest, parts);
  } finally {
    await store.close();
  }
});
