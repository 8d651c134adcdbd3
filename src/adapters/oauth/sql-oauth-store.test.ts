import { TECHNOLOGIES, testDatabases } from '../../../test/support/test-databases.ts';
import { oauthStoreContract, type StoreUnderTest } from './oauth-store.contract.ts';
import { SqlOAuthStore } from './sql-oauth-store.ts';

const databases = testDatabases();

async function prepare(technology: (typeof TECHNOLOGIES)[number]): Promise<StoreUnderTest | { readonly skip: string }> {
  const opened = await databases.open(technology);
  if ('skip' in opened) return opened;
  const { db } = opened;
  for (const id of ['acc_1', 'acc_2'])
    await db
      .insertInto('accounts')
      .values({
        id,
        email: `${id}@example.com`,
        plan: 'free',
        created_at: 0,
        dpa: 0,
        phone: 0,
        operator: 0,
        disabled: 0,
      } as never)
      .execute();
  return {
    store: new SqlOAuthStore(db),
    accounts: ['acc_1', 'acc_2'],
    dump: async () => JSON.stringify(await db.selectFrom('oauth_rows').selectAll().execute()),
  };
}

for (const technology of TECHNOLOGIES) {
  let made: ReturnType<typeof prepare> | undefined;
  oauthStoreContract(technology, () => {
    made ??= prepare(technology);
    return made;
  });
}
