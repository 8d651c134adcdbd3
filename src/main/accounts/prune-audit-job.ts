import { KyselyAccountStore } from '../../adapters/accounts/kysely-account-store.ts';
import { BULK_WORK } from '../../adapters/database/keep-deadline.ts';
import { connectDatabase } from '../../adapters/database/open-database.ts';
import { HOUR_MS } from '../../core/units.ts';
import { pruneAudit } from '../../service/prune-audit.ts';
import type { BackgroundJob } from '../background-job.ts';

/** Drops audit rows that are older than they are kept, at the start and once an hour. */
export const pruneAuditJob: BackgroundJob = {
  name: 'prune audit log',
  async start({ config, clock, log }) {
    const db = connectDatabase(config, BULK_WORK);
    const store = new KyselyAccountStore(db);
    const prune = (): Promise<unknown> =>
      pruneAudit(store, clock.now()).catch((error: unknown) => log.warn({ error }, 'old audit rows could not be dropped; tried again in an hour'));
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
