import { connectDatabase } from '../../adapters/database/open-database.ts';
import { pruneChanges } from '../../adapters/database/record-change.ts';
import { DAY_MS, HOUR_MS } from '../../core/units.ts';
import type { BackgroundJob } from '../background-job.ts';

/** Drops numbers of changes that every follower has long seen; one that was away longer forgets everything and starts afresh. The audit log stays. */
export const pruneChangesJob: BackgroundJob = {
  name: 'prune changes',
  async start({ config, clock, log }) {
    const db = connectDatabase(config);
    const prune = (): Promise<void> =>
      pruneChanges(db, clock.now() - DAY_MS).catch((error: unknown) => log.warn({ error }, 'old change numbers could not be dropped; tried again in an hour'));
    await prune();
    const timer = setInterval(() => void prune(), HOUR_MS).unref();
    return {
      async stop() {
        clearInterval(timer);
        await db.destroy();
      },
    };
  },
};
