import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TECHNOLOGIES, testDatabases } from '../../../test/support/test-databases.ts';
import type { ListOptions } from '../../contract/lists.ts';
import { unixMs } from '../../core/units.ts';
import { KyselyAccountStore } from '../accounts/kysely-account-store.ts';
import { SqlListStore } from './sql-list-store.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const BY = { actor: 'cli', at: NOON } as const;
const SETTINGS: ListOptions = { min_score: 70, states: ['active'], max_tier: 'T2', family: 'both', exclude: [] };
const databases = testDatabases();

for (const technology of TECHNOLOGIES)
  test(`lists over ${technology}: an account sees its own before those of the installation, within the cap of each owner`, async (t) => {
    const opened = await databases.open(technology);
    if ('skip' in opened) return t.skip(opened.skip);
    const accounts = new KyselyAccountStore(opened.db);
    for (const id of ['acc_a', 'acc_b'])
      await accounts.createAccount({ id, email: `${id}@example.com`, plan: 'free', dpa: false, phone: false }, BY);
    const store = new SqlListStore(opened.db);
    const save = (id: string, accountId: string | undefined, name: string, min_score = 70) =>
      store.save({ id, accountId, name, settings: { ...SETTINGS, min_score } }, BY, 2);
    await save('lst_1', undefined, 'high', 80);
    await save('lst_2', 'acc_a', 'high', 90);
    await save('lst_3', 'acc_a', 'mine');
    assert.equal(await save('lst_4', 'acc_a', 'third'), 'too_many');
    await save('lst_5', 'acc_a', 'high', 95);
    const found = async (account: string, name: string) => (await store.find(account, name))?.settings.min_score;
    assert.deepEqual([await found('acc_a', 'high'), await found('acc_b', 'high')], [95, 80]);
    assert.equal(await found('acc_b', 'mine'), undefined);
    assert.deepEqual(
      (await store.all('acc_b')).map(({ id }) => id),
      ['lst_1'],
    );
    assert.equal((await store.all()).length, 3);
    const fetched = { at: NOON, key: 'key_1', prefixes: 3, bytes: 40 };
    await store.noteFetch('lst_2', fetched);
    assert.deepEqual((await store.find('acc_a', 'high'))?.fetched, fetched);
    assert.equal(await store.remove('acc_b', 'high', BY), false, 'it is of another owner');
    assert.equal(await store.remove('acc_a', 'high', BY), true);
    assert.equal(await found('acc_a', 'high'), 80);
    await accounts.deleteAccount('acc_a', BY);
    assert.deepEqual(
      (await store.all()).map(({ id }) => id),
      ['lst_1'],
    );
  });
