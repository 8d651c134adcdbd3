import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TECHNOLOGIES, testDatabases } from '../../../test/support/test-databases.ts';
import { unixMs } from '../../core/units.ts';
import { defaultOptions } from '../../service/accounts/account.ts';
import type { By } from '../../service/accounts/account-store.ts';
import { KyselyAccountStore } from '../accounts/kysely-account-store.ts';
import { SqlIdentityStore } from './sql-identity-store.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const BY: By = { actor: 'cli', at: NOON };
const ADA = { issuer: 'https://sso.example', subject: 'ada' };
const databases = testDatabases();

for (const technology of TECHNOLOGIES)
  test(`identities over ${technology}: a person has one account, an account may have several, and they end with it`, async (t) => {
    const opened = await databases.open(technology);
    if ('skip' in opened) return t.skip(opened.skip);
    const accounts = new KyselyAccountStore(opened.db);
    const store = new SqlIdentityStore(opened.db);
    for (const id of ['acc_a', 'acc_b'])
      await accounts.createAccount({ id, email: `${id}@company.example`, ...defaultOptions({ operator: false }) }, BY);
    assert.equal(await store.accountOf(ADA), undefined);
    assert.equal((await accounts.credentials({ id: 'acc_a' }))?.ofCompany, false);
    const accountsAtOnce = ['acc_a', 'acc_b', 'acc_a', 'acc_b'];
    await Promise.all(accountsAtOnce.map((id) => store.link(ADA, id, false, BY)));
    const mine = await store.accountOf(ADA);
    assert.ok(mine === 'acc_a' || mine === 'acc_b');
    const linked = (await accounts.audit({ limit: 99 })).filter(({ action }) => action === 'identity.link');
    assert.deepEqual(
      linked.map(({ subject, detail }) => [subject, detail]),
      [[mine, { issuer: ADA.issuer }]],
    );
    await store.link({ ...ADA, issuer: 'https://other.example' }, mine, true, BY);
    assert.deepEqual(await store.all(mine), [
      { ...ADA, issuer: 'https://other.example', linkedAt: NOON },
      { ...ADA, linkedAt: NOON },
    ]);
    assert.equal((await accounts.credentials({ email: `${mine}@company.example` }))?.ofCompany, true);
    await accounts.deleteAccount(mine, BY);
    assert.deepEqual([await store.accountOf(ADA), await store.all(mine)], [undefined, []]);
  });
