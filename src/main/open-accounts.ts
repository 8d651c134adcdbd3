import type { Kysely } from 'kysely';
import { CachedKeyDirectory, type KeySource } from '../adapters/accounts/key-directory.ts';
import { kyselyKeySource, sqliteKeySource } from '../adapters/accounts/key-sources.ts';
import { KyselyAccountStore } from '../adapters/accounts/kysely-account-store.ts';
import { ChangeFeed, type ChangeSource } from '../adapters/database/change-feed.ts';
import { changeSource, sqliteChangeSource } from '../adapters/database/change-source.ts';
import { connectDatabase, openDatabase, openSqlite, sqlitePath } from '../adapters/database/open-database.ts';
import type { Database } from '../adapters/database/tables.ts';
import type { Config } from '../config.ts';
import type { AccountStore } from '../service/account-store.ts';
import { type KeyHasher, keyHasher } from '../service/key-hash.ts';
import { loadSecret } from './secret.ts';

type Target = Pick<Config, 'dataDir' | 'databaseUrl' | 'secret'>;

export interface Accounts {
  readonly db: Kysely<Database>;
  readonly store: AccountStore;
  readonly hasher: KeyHasher;
  close(): Promise<void>;
}

/** Opens accounts for writing and brings the schema up to date: for the control thread and the command line. */
export async function openAccounts(config: Target): Promise<Accounts> {
  const db = await openDatabase(config);
  return { db, store: new KyselyAccountStore(db), hasher: hasherOf(config), close: () => db.destroy() };
}

export interface OpenKeys {
  readonly directory: CachedKeyDirectory;
  /** Other caches of the thread (grants, sessions) may subscribe too. */
  readonly feed: ChangeFeed;
  readonly hasher: KeyHasher;
  readonly db: Kysely<Database>;
  close(): Promise<void>;
}

const USED_EVERY_MS = 60_000;

/**
 * The read path of one thread that answers requests. The schema must be there already (`openAccounts` has run in this process).
 * Over SQLite it reads from a connection of its own, at once; over PostgreSQL through a small pool.
 */
export async function openKeys(config: Target, options: { readonly pollMs?: number } = {}): Promise<OpenKeys> {
  const db = connectDatabase(config);
  const { keys, changes } = sources(config, db);
  const directory = await CachedKeyDirectory.open(keys, hasherOf(config));
  const feed = new ChangeFeed(changes);
  feed.subscribe((seen) => directory.changed(seen));
  await feed.poll();
  feed.start(options.pollMs);
  const store = new KyselyAccountStore(db);
  // Coarse on purpose; what cannot be written now is only a date of last use, and comes again with the next use.
  const writeUsed = (): Promise<void> => store.markKeysUsed(directory.takeUsed()).catch(() => {});
  const timer = setInterval(() => void writeUsed(), USED_EVERY_MS).unref();
  return {
    directory,
    feed,
    hasher: hasherOf(config),
    db,
    async close() {
      clearInterval(timer);
      feed.stop();
      await writeUsed();
      await directory.close();
      await db.destroy();
    },
  };
}

const hasherOf = (config: Target): KeyHasher => keyHasher(loadSecret(config).subkey('api-key'));

function sources(config: Target, db: Kysely<Database>): { readonly keys: KeySource; readonly changes: ChangeSource } {
  if (config.databaseUrl !== undefined) return { keys: kyselyKeySource(db), changes: changeSource(db) };
  const reader = openSqlite(sqlitePath(config), { readOnly: true });
  return { keys: sqliteKeySource(reader), changes: sqliteChangeSource(reader) };
}
