/**
 * Sign-in, sign-up and reset ask the database the same questions whether an address has an account or not:
 * their time must not show it.
 */

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { KyselyAccountStore } from '../../src/adapters/accounts/kysely-account-store.ts';
import { type Accounts, openAccounts } from '../../src/adapters/accounts/open-accounts.ts';
import { createSharedLimits, MemoryLimiter } from '../../src/adapters/limits/memory/memory-limiter.ts';
import { SharedHashGate } from '../../src/adapters/limits/memory/shared-hash-gate.ts';
import { SqlSessionStore, SqlSignInStore } from '../../src/adapters/sign-in/sql-sign-in-store.ts';
import { parseAnyAddress } from '../../src/core/ip/parse-address.ts';
import { unixMs } from '../../src/core/units.ts';
import { createAccount } from '../../src/service/accounts/account.ts';
import { Problem } from '../../src/service/problem.ts';
import { DeviceTokens } from '../../src/service/sign-in/device-tokens.ts';
import { Sessions } from '../../src/service/sign-in/session.ts';
import { SignIn, type Visitor } from '../../src/service/sign-in/sign-in.ts';
import { signInAccounts } from '../../src/service/sign-in/sign-in-accounts.ts';
import { testFolder } from '../support/test-folder.ts';

const PASSWORD = 'correct horse battery';
const NOW = unixMs(Date.UTC(2026, 10, 22));
const dataDir = testFolder('equal');
let accounts: Accounts;
let signIn: SignIn;
let asked: string[] = [];
const sent: string[] = [];

/** Kind and table of every statement that is built. */
const recorder: KyselyPlugin = {
  transformQuery({ node }) {
    const { table } =
      /"table":\{[^}]*"identifier":\{"kind":"IdentifierNode","name":"(?<table>\w+)"/.exec(JSON.stringify(node))
        ?.groups ?? {};
    asked.push(`${node.kind} ${table}`);
    return node;
  },
  transformResult: async ({ result }) => result,
};

before(async () => {
  accounts = await openAccounts({ dataDir, databaseUrl: undefined, secret: 'x'.repeat(40) });
  await createAccount(accounts.store, { email: 'known@example.com', password: PASSWORD }, { actor: 'cli', at: NOW });
  const db = accounts.db.withPlugin(recorder);
  const note = (kind: string) => async (to: string) => void sent.push(`${kind} ${to}`);
  signIn = new SignIn({
    accounts: signInAccounts(new KyselyAccountStore(db), async () => {}),
    store: new SqlSignInStore(db),
    sessions: new Sessions({
      store: new SqlSessionStore(db),
      account: () => undefined,
      secret: new Uint8Array(32),
      idleMs: 43_200_000,
    }),
    factors: {
      ask: async () => undefined,
      prove: async () => assert.fail('no factor is asked for'),
      forgetSteps: async () => {},
    },
    mail: { verify: note('verify'), reset: note('reset'), alreadyRegistered: note('registered') },
    signUp: 'mail',
    limiter: new MemoryLimiter(limits, 1),
    hashing: new SharedHashGate(limits.hashing, 1),
    devices: new DeviceTokens(new Uint8Array(32)),
    disconnectApps: async () => {},
    countryOf: () => undefined,
    onEvent: () => {},
    baseUrl: 'http://127.0.0.1',
    onMailFault: assert.ifError,
  });
});
after(() => accounts.close());

const limits = createSharedLimits();
let clients = 0;
const visitor = (): Visitor => ({
  client: parseAnyAddress(`192.0.2.${++clients}`)!,
  device: undefined,
  agent: '',
  at: NOW,
  language: 'en',
});
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  asked = [];
  await work();
  return asked;
}

const FLOWS: readonly (readonly [name: string, run: (email: string) => Promise<unknown>, mails: readonly string[]])[] =
  [
    ['sign-in', (email) => assert.rejects(signIn.signIn(email, 'not the right one', visitor())), []],
    [
      'sign-up',
      (email) => signIn.signUp(email, PASSWORD, visitor()),
      ['registered known@example.com', 'verify unknown@example.com'],
    ],
    ['reset', (email) => signIn.requestReset(email, visitor()), ['reset known@example.com']],
  ];

for (const [name, run, mails] of FLOWS)
  test(`${name}: a known and an unknown address are equal work`, async () => {
    sent.length = 0;
    const known = await statementsOf(() => run('known@example.com'));
    const unknown = await statementsOf(() => run('unknown@example.com'));
    assert.deepEqual(known, unknown);
    assert.ok(known.length > 0);
    assert.deepEqual(sent, mails);
  });

test('a refusal asks the database nothing: past the limit of a client, and past the queue of hashes', async () => {
  const limited = (error: unknown): boolean =>
    error instanceof Problem && error.code === 'rate_limited' && error.extras.retry_after !== undefined;
  const stranger = visitor();
  for (let n = 0; n < 50; n += 1)
    await assert.rejects(signIn.signIn(`s${n}@example.com`, 'a guess at it', stranger), /credentials|password/i);
  assert.deepEqual(
    await statementsOf(() => assert.rejects(signIn.signIn('known@example.com', PASSWORD, stranger), limited)),
    [],
  );
  const gate = new SharedHashGate(limits.hashing, 1);
  const places = [];
  for (let place = gate.enter(); place !== undefined; place = gate.enter()) places.push(place);
  for (const work of [
    () => signIn.signIn('known@example.com', PASSWORD, visitor()),
    () => signIn.signUp('late@example.com', PASSWORD, visitor()),
    () => signIn.verify('x', PASSWORD, visitor()),
    () => signIn.reset('x', { next: PASSWORD, alsoKeys: true }, visitor()),
    () =>
      signIn.changePassword(
        { id: 'session', account: { id: 'acc_x' } },
        PASSWORD,
        { next: PASSWORD, alsoKeys: true },
        visitor(),
      ),
  ])
    assert.deepEqual(await statementsOf(() => assert.rejects(work, limited)), []);
  for (const place of places) place.leave();
});
