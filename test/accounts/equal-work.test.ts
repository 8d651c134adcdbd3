/** Sign-in, sign-up and reset ask the database the same questions whether an address has an account or not: their time must not show it. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { KyselyAccountStore } from '../../src/adapters/accounts/kysely-account-store.ts';
import { SqlSessionStore, SqlSignInStore } from '../../src/adapters/sign-in/sql-sign-in-store.ts';
import { unixMs } from '../../src/core/units.ts';
import { type Accounts, openAccounts } from '../../src/main/accounts/open-accounts.ts';
import { signInAccounts } from '../../src/main/accounts/sign-in-accounts.ts';
import { createAccount } from '../../src/service/create-account.ts';
import { Sessions } from '../../src/service/session.ts';
import { SignIn, type Visitor } from '../../src/service/sign-in.ts';

const PASSWORD = 'correct horse battery';
const NOW = unixMs(Date.UTC(2026, 10, 22));
const dataDir = mkdtempSync(join(tmpdir(), 'pulse-equal-'));
let accounts: Accounts;
let signIn: SignIn;
let asked: string[] = [];
const sent: string[] = [];

/** Kind and table of every statement that is built. */
const recorder: KyselyPlugin = {
  transformQuery({ node }) {
    const { table } = /"table":\{[^}]*"identifier":\{"kind":"IdentifierNode","name":"(?<table>\w+)"/.exec(JSON.stringify(node))?.groups ?? {};
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
    sessions: new Sessions({ store: new SqlSessionStore(db), account: () => undefined, secret: new Uint8Array(32) }),
    mail: { verify: note('verify'), reset: note('reset'), alreadyRegistered: note('registered') },
    signUp: 'mail',
    disconnectApps: async () => {},
    baseUrl: 'http://127.0.0.1',
    onMailFault: assert.ifError,
  });
});
after(async () => {
  await accounts.close();
  rmSync(dataDir, { recursive: true });
});

let clients = 0;
const visitor = (): Visitor => ({ client: `192.0.2.${++clients}`, at: NOW, language: 'en' });
async function statementsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  asked = [];
  await work();
  return asked;
}

const FLOWS: readonly (readonly [name: string, run: (email: string) => Promise<unknown>, mails: readonly string[]])[] = [
  ['sign-in', (email) => assert.rejects(signIn.signIn(email, 'not the right one', visitor())), []],
  ['sign-up', (email) => signIn.signUp(email, PASSWORD, visitor()), ['registered known@example.com', 'verify unknown@example.com']],
  ['reset', (email) => signIn.requestReset(email, visitor()), ['reset known@example.com']],
];

for (const [name, run, mails] of FLOWS)
  test(`${name}: a known and an unknown address are equal work`, async () => {
    sent.length = 0;
    const known = await statementsOf(() => run('known@example.com'));
    const unknown = await statementsOf(() => run('unknown@example.com'));
    assert.deepEqual(known, unknown);
    assert.ok(known.length > 1, known.join());
    assert.deepEqual(sent, mails);
  });
