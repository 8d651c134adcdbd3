import { SqlBeaconStore } from '../../adapters/beacons/sql-beacon-store.ts';
import { BULK_WORK } from '../../adapters/database/keep-deadline.ts';
import { connectDatabase } from '../../adapters/database/open-database.ts';
import { HOUR_MS } from '../../core/units.ts';
import type { BackgroundJob } from '../background-job.ts';

/** Forgets exits of beacons that were not seen for long, and old dates, at the start and once an hour. */
export const pruneBeaconsJob: BackgroundJob = {
  name: 'prune beacons',
  async start({ config, clock, log }) {
    const db = connectDatabase(config, BULK_WORK);
    const store = new SqlBeaconStore(db);
    const prune = (): Promise<void> =>
      store.prune(clock.now()).catch((error: unknown) => log.warn({ error }, 'old exits of beacons could not be dropped; tried again in an hour'));
    let running = prune();
    const timer = setInterval(() => {
      running = running.then(prune);
    }, HOUR_MS).unref();
    return {
      async stop() {
        clearInterval(timer);
        await running;
        await db.destroy();
      },
    };
  },
};
