import type { Kysely } from 'kysely';
import { CachedKeyDirectory, type KeySource } from '../../adapters/accounts/key-directory.ts';
import { kyselyKeySource, sqliteKeySource } from '../../adapters/accounts/key-sources.ts';
import { ChangeFeed, type ChangeSource } from '../../adapters/database/change-feed.ts';
import { changeSource, sqliteChangeSource } from '../../adapters/database/change-source.ts';
import { openSqlite, sqlitePath } from '../../adapters/database/open-sqlite.ts';
import type { Database } from '../../adapters/database/tables.ts';
import type { Config } from '../../config.ts';
import { type KeyHasher, keyHasher } from '../../service/key-hash.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';

export type KeyTarget = Pick<Config, 'dataDir' | 'databaseUrl' | 'secret'>;

export interface OpenKeys {
  readonly directory: CachedKeyDirectory;
  /** Other caches of the thread (grants, sessions) may subscribe too. */
  readonly feed: ChangeFeed;
  readonly hasher: KeyHasher;
  /** The records database of this thread, opened when it is first asked for: over SQLite keys are read without it, and its libraries take time to load. */
  records(): Promise<Kysely<Database>>;
  close(): Promise<void>;
}

const USED_EVERY_MS = 60_000;

/**
 * The read path of one thread that answers requests. The schema must be there already (`prepareDatabase` has run in this process).
 * Over SQLite it reads from a connection of its own, at once; over PostgreSQL through a small pool.
 */
export async function openKeys(config: KeyTarget, options: { readonly pollMs?: number } = {}): Promise<OpenKeys> {
  let opened: Promise<Kysely<Database>> | undefined;
  const records = (): Promise<Kysely<Database>> => {
    opened ??= import('../../adapters/database/open-database.ts').then(({ connectDatabase }) => connectDatabase(config));
    return opened;
  };
  const { keys, changes } = await sources(config, records);
  const hasher = hasherOf(config);
  const directory = await CachedKeyDirectory.open(keys, hasher);
  const feed = new ChangeFeed(changes);
  feed.subscribe((seen) => directory.changed(seen));
  await feed.poll();
  feed.start(options.pollMs);
  // Coarse on purpose; what cannot be written now is only a date of last use, and comes again with the next use.
  const writeUsed = async (): Promise<void> => {
    const used = directory.takeUsed();
    if (used.size === 0) return;
    const { KyselyAccountStore } = await import('../../adapters/accounts/kysely-account-store.ts');
    await new KyselyAccountStore(await records()).markKeysUsed(used).catch(() => {});
  };
  const timer = setInterval(() => void writeUsed(), USED_EVERY_MS).unref();
  return {
    directory,
    feed,
    hasher,
    records,
    async close() {
      clearInterval(timer);
      feed.stop();
      await writeUsed();
      await directory.close();
      await (await opened)?.destroy();
    },
  };
}

export const hasherOf = (config: KeyTarget): KeyHasher => keyHasher(loadSecret(config).subkey('api-key'));

async function sources(config: KeyTarget, records: () => Promise<Kysely<Database>>): Promise<{ readonly keys: KeySource; readonly changes: ChangeSource }> {
  if (config.databaseUrl !== undefined) {
    const db = await records();
    return { keys: kyselyKeySource(db), changes: changeSource(db) };
  }
  const reader = openSqlite(sqlitePath(config), { readOnly: true });
  return { keys: sqliteKeySource(reader), changes: sqliteChangeSource(reader) };
}
