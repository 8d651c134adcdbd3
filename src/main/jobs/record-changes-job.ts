import type { KeyTarget } from '../../adapters/accounts/open-keys.ts';
import { changeSource, sqliteChangeSource } from '../../adapters/database/change-source.ts';
import { openSqlite, sqlitePath } from '../../adapters/database/open-sqlite.ts';
import { loadOverrides } from '../../adapters/overrides/load-overrides.ts';
import { OVERRIDE_KIND } from '../../adapters/overrides/sqlite-overrides.ts';
import { ChangeFeed, type ChangeSource } from '../../service/accounts/change-feed.ts';
import { repeat } from '../../service/serving/repeat.ts';
import type { BackgroundJob } from './background-job.ts';

/** Well below the two seconds within which a revocation must take effect. */
const POLL_MS = 300;

/**
 * Follows changes of keys, accounts and plans and sends them to every HTTP thread, so that these need not
 * poll.
 */
export const recordChangesJob: BackgroundJob = {
  name: 'record changes',
  async start(context) {
    const { feed, close } = await openRecordChanges(context.config);
    feed.subscribe(async (changes) => {
      if (changes === 'everything' || changes.some(({ topic }) => topic === OVERRIDE_KIND))
        context.publish({ type: 'overrides', overrides: await loadOverrides(context.config) });
      context.publish({ type: 'records', changes });
    });
    const polls = repeat(context, 'record changes', POLL_MS, () => feed.poll(), {
      meanwhile: 'keys and accounts are used as they were',
      degrades: true,
    });
    // Jobs start one after another, so no lookup is answered before the overrides are known, unless their store
    // is away: verdicts are degraded then.
    await polls.now();
    return {
      async stop() {
        await polls.stop();
        await close();
      },
    };
  },
};

export interface OpenRecordChanges {
  readonly feed: ChangeFeed;
  close(): Promise<void>;
}

export async function openRecordChanges(config: KeyTarget): Promise<OpenRecordChanges> {
  const { source, close } = await openSource(config);
  return { feed: new ChangeFeed(source), close };
}

async function openSource(config: KeyTarget): Promise<{ readonly source: ChangeSource; close(): Promise<void> }> {
  if (config.databaseUrl === undefined) {
    const reader = openSqlite(sqlitePath(config), { readOnly: true });
    return { source: sqliteChangeSource(reader), close: async () => reader.close() };
  }
  const { connectDatabase } = await import('../../adapters/database/open-database.ts');
  const db = connectDatabase(config);
  return { source: changeSource(db), close: () => db.destroy() };
}
