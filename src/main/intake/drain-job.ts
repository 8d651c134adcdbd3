import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { RedisIntakeReader } from '../../adapters/intake/redis-intake-reader.ts';
import { type DrainOptions, drainStream } from '../../service/drain-stream.ts';
import type { BackgroundJob } from '../background-job.ts';
import { HistoryOnDemand } from '../evidence/history-on-demand.ts';
import { HistoryThread } from '../evidence/history-thread.ts';
import { ownAddresses } from '../evidence/load-intake-refusals.ts';
import { CurrentGeo } from '../place-data/current-geo.ts';
import { sealKeys } from './open-intake.ts';

/** A server that may be starting, too, is not reported as away before this. */
const PATIENCE_MS = 2000;

/** Stores what waits in the stream of the intake, together with the other nodes that do. */
export const drainJob: BackgroundJob = {
  name: 'intake',
  async start({ config, log, clock }) {
    if (config.intake === 'direct' || config.redisUrl === undefined) return { stop() {} };
    const ending = new AbortController();
    const geo = new CurrentGeo(config.dataDir);
    const store = new HistoryOnDemand(config, { forCallers: true });
    const writer = new HistoryThread(config, { forCallers: true, geo: () => geo.image, own: ownAddresses(config) });
    const reader = new RedisIntakeReader({ url: config.redisUrl, keys: sealKeys(config), consumer: randomUUID() });
    const work: DrainOptions = {
      reader,
      accept: async (body, request) => {
        await geo.renew(clock.now());
        return await writer.accept(body, request);
      },
      probe: async () => (await store.open()).head(),
      signal: ending.signal,
      pause: (ms) => sleep(ms, undefined, { signal: ending.signal }).catch(() => {}),
      log,
    };
    const drained = reader.ready(PATIENCE_MS).then(() => drainStream(work));
    return {
      async stop() {
        ending.abort();
        await drained;
        reader.close();
        await writer.close();
        await store.close();
      },
    };
  },
};
