import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TECHNOLOGIES, testDatabases } from '../../../test/support/test-databases.ts';
import { ACCOUNT_CAPS } from '../../core/limits/account-caps.ts';
import { MINUTE_MS, unixMs } from '../../core/units.ts';
import type { By } from '../../service/accounts/account-store.ts';
import type { StoredFactor } from '../../service/accounts/second-factor-store.ts';
import { Problem } from '../../service/problem.ts';
import { KyselyAccountStore } from '../accounts/kysely-account-store.ts';
import { SqlSecondFactorStore } from './sql-second-factor-store.ts';

const NOON = unixMs(Date.UTC(2026, 2, 10, 12));
const BY: By = { actor: 'cli', at: NOON };
const databases = testDatabases();

const totp = (id: string, accountId: string): StoredFactor => ({
  id,
  accountId,
  kind: 'totp',
  name: '',
  secret: 'v1.sealed',
  credentialId: undefined,
  transports: [],
  counter: 58_000_000,
  createdAt: NOON,
  lastUsedAt: undefined,
});
const passkey = (id: string, accountId: string, credentialId: string): StoredFactor => ({
  ...totp(id, accountId),
  kind: 'passkey',
  name: 'Laptop',
  credentialId,
  transports: ['internal', 'hybrid'],
  counter: 0,
  createdAt: unixMs(NOON + 1),
});

const refused = (code: string) => (error: unknown) => error instanceof Problem && error.code === code;

for (const technology of TECHNOLOGIES)
  test(`second factors over ${technology}: kept, used once, removed with everything that hangs on them`, async (t) => {
    const opened = await databases.open(technology);
    if ('skip' in opened) return t.skip(opened.skip);
    const { db } = opened;
    const accounts = new KyselyAccountStore(db);
    for (const id of ['acc_a', 'acc_b'])
      await accounts.createAccount({ id, email: `${id}@example.com`, plan: 'free', dpa: false, phone: false }, BY);
    const store = new SqlSecondFactorStore(db);

    await store.addFactor(totp('fac_1', 'acc_a'), BY);
    await store.addFactor(passkey('fac_2', 'acc_a', 'cred'), BY);
    assert.deepEqual(await store.factors('acc_a'), [totp('fac_1', 'acc_a'), passkey('fac_2', 'acc_a', 'cred')]);
    await assert.rejects(
      store.addFactor(passkey('fac_3', 'acc_b', 'cred'), BY),
      refused('bad_request'),
      'one credential, one account',
    );
    await store.addFactor(totp('fac_4', 'acc_a'), BY);
    const ids = (await store.factors('acc_a')).map(({ id }) => id);
    assert.deepEqual(ids, ['fac_4', 'fac_2'], 'one TOTP an account');

    const later = unixMs(NOON + MINUTE_MS);
    const taken = await Promise.all([1, 2, 3].map(() => store.advanceCounter('fac_4', 58_000_000, 58_000_001, later)));
    assert.deepEqual(taken.toSorted(), [false, false, true]);
    assert.deepEqual((await store.factors('acc_a'))[0], {
      ...totp('fac_4', 'acc_a'),
      counter: 58_000_001,
      lastUsedAt: later,
    });
    assert.ok(await store.advanceCounter('fac_2', 0, 0, later), 'authenticators that count nothing');

    assert.equal(await store.renamePasskey('acc_b', 'fac_2', 'x', BY), false);
    assert.equal(await store.renamePasskey('acc_a', 'fac_4', 'x', BY), false, 'a TOTP has no name');
    assert.ok(await store.renamePasskey('acc_a', 'fac_2', '书桌', BY));

    await store.replaceRecoveryCodes('acc_a', ['h1', 'h2'], BY);
    assert.equal(await store.takeRecoveryCode('acc_b', 'h1', BY), false);
    const used = await Promise.all([1, 2].map(() => store.takeRecoveryCode('acc_a', 'h1', BY)));
    assert.deepEqual(used.toSorted(), [false, true]);
    assert.equal(await store.recoveryCodesLeft('acc_a'), 1);

    const step = {
      id: 's1',
      purpose: 'sign-in',
      accountId: 'acc_a',
      sessionId: undefined,
      amr: ['oidc', 'mfa'],
      payload: 'challenge',
      expiresAt: later,
    } as const;
    await store.addStep(step);
    await store.addStep({ ...step, id: 's2', sessionId: 'session' });
    assert.deepEqual(await store.findStep('s1', 'sign-in', NOON), step);
    assert.equal((await store.findStep('s2', 'sign-in', NOON))?.sessionId, 'session');
    assert.equal(await store.findStep('s1', 'totp', NOON), undefined);
    assert.equal(await store.findStep('s1', 'sign-in', later), undefined);
    assert.deepEqual([await store.takeStep('s1'), await store.takeStep('s1')], [true, false]);
    await store.purgeSteps(NOON);
    assert.ok(await store.findStep('s2', 'sign-in', NOON));
    await store.purgeSteps(later);
    assert.equal(await store.findStep('s2', 'sign-in', NOON), undefined);

    assert.equal(await store.removeFactor('acc_b', 'fac_2', false, BY), false);
    assert.ok(await store.removeFactor('acc_a', 'fac_4', false, BY));
    assert.equal(await store.recoveryCodesLeft('acc_a'), 1);
    assert.ok(await store.removeFactor('acc_a', 'fac_2', false, BY));
    assert.equal(await store.recoveryCodesLeft('acc_a'), 0, 'they end with the last factor');

    await store.addFactor(passkey('fac_5', 'acc_b', 'cred'), BY);
    await store.replaceRecoveryCodes('acc_b', ['h3'], BY);
    await store.addStep({ ...step, accountId: 'acc_b' });
    assert.equal(await store.removeAll('acc_b', BY), 1);
    assert.deepEqual(
      [await store.factors('acc_b'), await store.recoveryCodesLeft('acc_b'), await store.takeStep('s1')],
      [[], 0, false],
    );
    const actions = (await accounts.audit({ subject: 'acc_b', limit: 9 })).map(
      ({ action, actor }) => `${actor} ${action}`,
    );
    assert.deepEqual(actions, [
      'cli factor.reset',
      'cli factor.recovery-codes',
      'cli factor.add',
      'cli account.create',
    ]);
  });

for (const technology of TECHNOLOGIES)
  test(`second factors over ${technology}: requests at once keep to the caps`, async (t) => {
    const opened = await databases.open(technology);
    if ('skip' in opened) return t.skip(opened.skip);
    const accounts = new KyselyAccountStore(opened.db);
    await accounts.createAccount({ id: 'acc_a', email: 'a@example.com', plan: 'free', dpa: false, phone: false }, BY);
    const store = new SqlSecondFactorStore(opened.db);
    const all = async (work: (i: number) => Promise<unknown>): Promise<number> =>
      (await Promise.allSettled(Array.from({ length: 14 }, (_, i) => work(i)))).filter(
        ({ status }) => status === 'fulfilled',
      ).length;

    assert.equal(
      await all((i) => store.addFactor(passkey(`fac_${i}`, 'acc_a', `cred${i}`), BY)),
      ACCOUNT_CAPS.passkeys,
    );
    const ids = (await store.factors('acc_a')).map(({ id }) => id);
    assert.equal(ids.length, ACCOUNT_CAPS.passkeys);
    await assert.rejects(store.addFactor(passkey('fac_x', 'acc_a', 'credx'), BY), refused('bad_request'));
    assert.equal(
      (await accounts.audit({ subject: 'acc_a', limit: 99 })).filter(({ action }) => action === 'factor.add').length,
      ids.length,
    );

    const removed = await Promise.allSettled(ids.map((id) => store.removeFactor('acc_a', id, true, BY)));
    const kept = removed.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    assert.ok(kept.length === 1 && refused('forbidden')(kept[0]), 'the account keeps one');
    assert.equal((await store.factors('acc_a')).length, 1);

    await all((i) => store.addFactor(totp(`fac_t${i}`, 'acc_a'), BY));
    assert.equal((await store.factors('acc_a')).filter(({ kind }) => kind === 'totp').length, 1);
    await all((i) => store.replaceRecoveryCodes('acc_a', [`h${i}`, `g${i}`], BY));
    assert.equal(await store.recoveryCodesLeft('acc_a'), 2);
  });
