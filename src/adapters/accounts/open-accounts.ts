import type { Kysely } from 'kysely';
import type { AccountStore, By } from '../../service/accounts/account-store.ts';
import type { KeyHasher } from '../../service/accounts/password.ts';
import type { SecondFactorStore } from '../../service/accounts/second-factor-store.ts';
import { openDatabase } from '../database/open-database.ts';
import type { Database } from '../database/tables.ts';
import { SqlOAuthStore } from '../oauth/sql-oauth-store.ts';
import { SqlSecondFactorStore } from '../sign-in/sql-second-factor-store.ts';
import { SqlSessionStore } from '../sign-in/sql-sign-in-store.ts';
import { KyselyAccountStore } from './kysely-account-store.ts';
import { hasherOf, type KeyTarget } from './open-keys.ts';

export interface Accounts {
  readonly db: Kysely<Database>;
  readonly store: AccountStore;
  readonly hasher: KeyHasher;
  readonly factors: SecondFactorStore;
  signOut(accountId: string, by: By): Promise<void>;
  close(): Promise<void>;
}

export async function openAccounts(config: KeyTarget): Promise<Accounts> {
  const db = await openDatabase(config);
  const factors = new SqlSecondFactorStore(db);
  return {
    db,
    store: new KyselyAccountStore(db),
    hasher: hasherOf(config),
    factors,
    async signOut(accountId, by) {
      await new SqlSessionStore(db).removeAll(accountId, undefined);
      await factors.dropSteps(accountId);
      await new SqlOAuthStore(db).disconnect(accountId, undefined, by);
    },
    close: () => db.destroy(),
  };
}
