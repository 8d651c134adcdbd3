import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import type { Account, Plan } from '../../core/caller/caller.ts';
import type { Database, PlanRow } from '../database/tables.ts';
import type { FoundKey, KeySource } from './key-directory-cache.ts';
import {
  ACCOUNT_COLUMNS,
  type AccountColumns,
  accountOf,
  KEY_COLUMNS,
  type KeyColumns,
  keyOf,
  planOf,
} from './rows.ts';

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
export function requireVerified(source: KeySource): KeySource {
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
