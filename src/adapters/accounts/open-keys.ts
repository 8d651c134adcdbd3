import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import type { Config } from '../../config.ts';
import type { Account, Plan } from '../../core/caller/caller.ts';
import type { UnixMs } from '../../core/units.ts';
import type { RecordChanges } from '../../service/accounts/change-feed.ts';
import { type KeyHasher, keyHasher } from '../../service/accounts/password.ts';
import { RecordReloader } from '../../service/accounts/record-reloader.ts';
import { type EveryOptions, every } from '../../service/every.ts';
import { StoreUnavailable } from '../../service/store-fault.ts';
import { loadSecret } from '../data-folder/deployment-secret.ts';
import { openSqlite, sqlitePath } from '../database/open-sqlite.ts';
import type { Database, PlanRow } from '../database/tables.ts';
import { type FoundKey, KeyDirectoryCache, type KeyNews, type KeySource } from './key-directory-cache.ts';
import {
  ACCOUNT_COLUMNS,
  type AccountColumns,
  accountOf,
  KEY_COLUMNS,
  type KeyColumns,
  keyOf,
  planOf,
} from './rows.ts';

export type KeyTarget = Pick<Config, 'dataDir' | 'databaseUrl' | 'secret'>;

/**
 * - `records`: returns this thread's records database and opens it on the first call: over SQLite keys do not need
 *   it, and its libraries load slowly.
 * - `changed`: applies changes seen by `recordChangesJob`. Resolves when the caches are reloaded; never rejects.
 */
export interface OpenKeys {
  readonly directory: KeyDirectoryCache;
  readonly hasher: KeyHasher;
  records(): Promise<Kysely<Database>>;
  markUsed(used: ReadonlyMap<string, UnixMs>): Promise<void>;
  changed(changes: RecordChanges): Promise<void>;
  close(): Promise<void>;
}

const USED_EVERY_MS = 60_000;

const accountStore = () => import('./kysely-account-store.ts');

/**
 * Opens the read path of one thread that answers requests. `prepareDatabase` must have run in this process.
 * Over SQLite it reads synchronously from its own connection, over PostgreSQL through a small pool.
 * Where sign-up is by mail, an account with an unproved address counts as disabled.
 * @param onUsed receives dates of use if this thread does not write them
 */
export async function openKeys(
  config: KeyTarget & Partial<Pick<Config, 'signup'>>,
  log: EveryOptions['log'] & { warn(fields: object, text: string): void },
  onUsed?: (used: ReadonlyMap<string, UnixMs>) => void,
  news?: KeyNews,
): Promise<OpenKeys> {
  let opened: Promise<Kysely<Database>> | undefined;
  const records = (): Promise<Kysely<Database>> => {
    // Also loads the code that writes dates of use: loading it later would read files while requests wait.
    opened ??= Promise.all([import('../database/open-database.ts'), accountStore()]).then(([{ connectDatabase }]) =>
      connectDatabase(config),
    );
    return opened;
  };
  const source = await keySource(config, records);
  const keys = config.signup === 'mail' ? requireVerified(source) : source;
  const hasher = hasherOf(config);
  const options = news === undefined ? {} : { news };
  let isAway = false;
  const directory = await KeyDirectoryCache.open(keys, hasher, options).catch((error) => {
    if (!(error instanceof StoreUnavailable)) throw error;
    isAway = true;
    return KeyDirectoryCache.openAway(keys, hasher, options);
  });
  const onFault = (error: unknown): void =>
    log.warn({ error }, 'changed keys and plans cannot be read; what was remembered of them is forgotten');
  const reloader = new RecordReloader((changes) => directory.changed(changes), onFault);
  if (isAway) void reloader.take('everything');
  // A failed write loses only a date of last use, which the next use writes again.
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

export function kyselyKeySource(db: Kysely<Database>): KeySource {
  const account = async (id: string) => {
    const row = await db.selectFrom('accounts').select(ACCOUNT_COLUMNS).where('id', '=', id).executeTakeFirst();
    if (row === undefined) return undefined;
    const plan = await db.selectFrom('plans').selectAll().where('name', '=', row.plan).executeTakeFirst();
    return plan === undefined ? undefined : accountOf(row, planOf(plan));
  };
  return {
    account,
    async keyByHash(hash): Promise<FoundKey | undefined> {
      const row = await db
        .selectFrom('api_keys')
        .select([...KEY_COLUMNS, 'hash'])
        .where('hash', '=', hash)
        .executeTakeFirst();
      const owner = row === undefined ? undefined : await account(row.account_id);
      return row === undefined || owner === undefined ? undefined : { hash: row.hash, key: keyOf(row), account: owner };
    },
    plans: async () => (await db.selectFrom('plans').selectAll().orderBy('name').execute()).map(planOf),
    close: () => {},
  };
}

/**
 * Treats accounts with an unproved address as disabled: their keys, sessions and apps are refused until it is
 * proved.
 */
function requireVerified(source: KeySource): KeySource {
  const judged = (account: Account): Account =>
    account.verifiedAt === undefined ? { ...account, disabled: true } : account;
  const owned = (found: FoundKey | undefined) => found && { ...found, account: judged(found.account) };
  const known = (account: Account | undefined) => account && judged(account);
  return {
    keyByHash(hash) {
      const found = source.keyByHash(hash);
      return found instanceof Promise ? found.then(owned) : owned(found);
    },
    account(id) {
      const found = source.account(id);
      return found instanceof Promise ? found.then(known) : known(found);
    },
    plans: () => source.plans(),
    close: () => source.close(),
  };
}

/**
 * Reads keys synchronously over its own SQLite connection, so that it never waits for the writer. `close`
 * closes the connection.
 */
export function sqliteKeySource(database: DatabaseSync): KeySource {
  const keys = database.prepare(`select ${KEY_COLUMNS.join(', ')}, hash from api_keys where hash = ?`);
  const accounts = database.prepare(`select ${ACCOUNT_COLUMNS.join(', ')} from accounts where id = ?`);
  const plan = database.prepare('select * from plans where name = ?');
  const plans = database.prepare('select * from plans order by name');
  const planNamed = (name: string): Plan => planOf(plan.get(name) as unknown as PlanRow);
  const account = (id: string) => {
    const row = accounts.get(id) as AccountColumns | undefined;
    return row === undefined ? undefined : accountOf(row, planNamed(row.plan));
  };
  return {
    account,
    keyByHash(hash) {
      const row = keys.get(hash) as (KeyColumns & { readonly hash: string }) | undefined;
      const owner = row === undefined ? undefined : account(row.account_id);
      return row === undefined || owner === undefined ? undefined : { hash: row.hash, key: keyOf(row), account: owner };
    },
    plans: () => (plans.all() as unknown as PlanRow[]).map(planOf),
    close: () => database.close(),
  };
}
