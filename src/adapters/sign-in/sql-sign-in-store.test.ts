import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TECHNOLOGIES, testDatabases } from '../../../test/support/test-databases.ts';
import { DAY_MS, unixMs } from '../../core/units.ts';
import { KyselyAccountStore } from '../accounts/kysely-account-store.ts';
import { SqlSessionStore } from './sql-sign-in-store.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const databases = testDatabases();

for (const technology of TECHNOLOGIES)
  test(`sessions over ${technology}: one more than an account may have ends its oldest, and no other account's`, async (t) => {
    const opened = await databases.open(technology);
    if ('skip' in opened) return t.skip(opened.skip);
    const { db } = opened;
    const accounts = new KyselyAccountStore(db);
    for (const id of ['acc_one', 'acc_two'])
      await accounts.createAccount(
        { id, email: `${id}@example.com`, plan: 'free', passwordHash: 'x', dpa: false, phone: false },
        { actor: 'cli', at: NOON },
      );
    const store = new SqlSessionStore(db);
    const add = (accountId: string, n: number) =>
      store.add(
        {
          id: `${accountId} ${n}`,
          accountId,
          createdAt: unixMs(NOON + n),
          seenAt: unixMs(NOON + n),
          country: undefined,
          agent: '',
          expiresAt: unixMs(NOON + DAY_MS),
          amr: ['pwd'],
          authenticatedAt: unixMs(NOON),
        },
        3,
      );
    await add('acc_two', 0);
    for (let n = 0; n < 5; n += 1) await add('acc_one', n);
    const found = async (accountId: string): Promise<readonly number[]> => {
      const numbers = [];
      for (let n = 0; n < 5; n += 1) if ((await store.find(`${accountId} ${n}`, NOON)) !== undefined) numbers.push(n);
      return numbers;
    };
    assert.deepEqual([await found('acc_one'), await found('acc_two')], [[2, 3, 4], [0]]);
    // The newest of the sessions opened in one millisecond stays.
    for (const n of [9, 8, 7, 6])
      await store.add(
        {
          id: `acc_two ${n}`,
          accountId: 'acc_two',
          createdAt: NOON,
          seenAt: NOON,
          country: undefined,
          agent: '',
          expiresAt: unixMs(NOON + DAY_MS),
          amr: ['pwd'],
          authenticatedAt: unixMs(NOON),
        },
        1,
      );
    assert.notEqual(await store.find('acc_two 6', NOON), undefined);
  });
