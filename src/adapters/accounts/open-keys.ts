import type { Kysely } from 'kysely';
import type { Config } from '../../config.ts';
import type { UnixMs } from '../../core/units.ts';
import type { RecordChanges } from '../../service/accounts/change-feed.ts';
import { type KeyHasher, keyHasher } from '../../service/accounts/key-hasher.ts';
import { RecordReloader } from '../../service/accounts/record-reloader.ts';
import { type EveryOptions, every } from '../../service/every.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import { openSqlite, sqlitePath } from '../database/open-sqlite.ts';
import type { Database } from '../database/tables.ts';
import { CachedKeyDirectory, type KeySource } from './cached-key-directory.ts';
import { kyselyKeySource, requireVerified, sqliteKeySource } from './key-sources.ts';

export type KeyTarget = Pick<Config, 'dataDir' | 'databaseUrl' | 'secret'>;

export interface OpenKeys {
  readonly directory: CachedKeyDirectory;
  readonly hasher: KeyHasher;
  /** The records database of this thread, opened when it is first asked for: over SQLite keys are read without it, and its libraries take time to load. */
  records(): Promise<Kysely<Database>>;
  /** Writes dates of use that another thread noted. */
  markUsed(used: ReadonlyMap<string, UnixMs>): Promise<void>;
  /** Takes changes seen by `recordChangesJob`. Resolves when the caches have reloaded it; never rejects. */
  changed(changes: RecordChanges): Promise<void>;
  close(): Promise<void>;
}

const USED_EVERY_MS = 60_000;

const accountStore = () => import('./kysely-account-store.ts');

/**
 * The read path of one thread that answers requests. The schema must be there already (`prepareDatabase` has run in this process).
 * Over SQLite it reads from a connection of its own, at once; over PostgreSQL through a small pool.
 * Where sign-up is by mail, an account whose address is not proved counts as disabled.
 * @param onUsed takes dates of use where this thread does not write them
 */
export async function openKeys(
  config: KeyTarget & Partial<Pick<Config, 'signup'>>,
  log: EveryOptions['log'] & { warn(fields: object, text: string): void },
  onUsed?: (used: ReadonlyMap<string, UnixMs>) => void,
): Promise<OpenKeys> {
  let opened: Promise<Kysely<Database>> | undefined;
  const records = (): Promise<Kysely<Database>> => {
    // With the code that writes dates of use: loading it later would read files while requests wait.
    opened ??= Promise.all([import('../database/open-database.ts'), accountStore()]).then(([{ connectDatabase }]) =>
      connectDatabase(config),
    );
    return opened;
  };
  const source = await keySource(config, records);
  const keys = config.signup === 'mail' ? requireVerified(source) : source;
  const hasher = hasherOf(config);
  const directory = await CachedKeyDirectory.open(keys, hasher);
  const onFault = (error: unknown): void =>
    log.warn({ error }, 'changed keys and plans cannot be read; what was remembered of them is forgotten');
  const reloader = new RecordReloader((changes) => directory.changed(changes), onFault);
  // Coarse on purpose; a failed write loses only a date of last use, and comes again with the next use.
  const markUsed = async (used: ReadonlyMap<string, UnixMs>): Promise<void> => {
    const { KyselyAccountStore } = await accountStore();
    await new KyselyAccountStore(await records()).markKeysUsed(used);
  };
  const writeUsed = async (): Promise<void> => {
    const used = directory.takeUsed();
    if (used.size > 0) await (onUsed ?? markUsed)(used);
  };
  const writing = every('dates of key use', USED_EVERY_MS, writeUsed, {
    log,
    meanwhile: 'they are written with the next use',
  });
  return {
    directory,
    hasher,
    records,
    markUsed,
    changed: (changes) => reloader.take(changes),
    async close() {
      reloader.close();
      await writing.now();
      await writing.stop();
      await directory.close();
      await (await opened)?.destroy();
    },
  };
}

export const hasherOf = (config: KeyTarget): KeyHasher => keyHasher(loadSecret(config).subkey('api-key'));

async function keySource(config: KeyTarget, records: () => Promise<Kysely<Database>>): Promise<KeySource> {
  return config.databaseUrl === undefined
    ? sqliteKeySource(openSqlite(sqlitePath(config), { readOnly: true }))
    : kyselyKeySource(await records());
}
