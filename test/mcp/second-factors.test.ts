import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { accountRoutes } from '../../src/apps/console/account-routes.ts';
import { evidenceRoute } from '../../src/apps/http/routes/evidence/evidence-route.ts';
import type { ConsoleFactorAsked, ConsoleFactors } from '../../src/contract/console.ts';
import type { AccountChanges } from '../../src/service/accounts/account-store.ts';
import { keyHasher } from '../../src/service/accounts/password.ts';
import { BrowserJar } from '../support/browser-jar.ts';
import { ConsoleBrowser, operatorPages } from '../support/console-browser.ts';
import { eventually } from '../support/eventually.ts';
import { PASSWORD, startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, codeIn, OAuthClient, tokensOf } from '../support/oauth-client.ts';
import { authenticatorCode, SoftPasskey } from '../support/soft-passkey.ts';

const MINUTE_MS = 60_000;
let service: TestService;

before(async () => {
  service = await startMcpService({
    baseUrl: (port) => `http://localhost:${port}`,
    plugins: ({ accounts, ...parts }) => [
      operatorPages({ ...parts, accounts }),
      (app, { services }) =>
        accountRoutes(app, {
          accounts,
          hasher: keyHasher(new Uint8Array(32)),
          ledger: services.ledger,
          clock: services.clock,
          quotaTz: 'UTC',
          phone: false,
          senderNameFault: () => undefined,
        }),
      evidenceRoute({
        accept: async () => ({ status: 'taken', outcome: { lines: 1, accepted: 1, added: 1, refused: {} } }),
        heartbeat: async () => {},
        senderNameFault: () => undefined,
      }),
    ],
  });
});
beforeEach(() => service.forgetAttempts());
after(async () => {
  await service.close();
  const refusals = service.faults.map((line) => /^an operator was refused .*"reason":"(\w+)"/.exec(line)?.[1] ?? line);
  // A request that comes before the thread knows of an operator's mark is refused too, and sent again.
  assert.deepEqual([...new Set(refusals)].filter((reason) => reason !== 'not_operator').toSorted(), [
    'no_factor',
    'password',
  ]);
});

class Holder extends ConsoleBrowser {
  readonly email: string;
  readonly id: string;
  secret = '';

  constructor(email: string, id: string) {
    super(service.url);
    this.email = email;
    this.id = id;
  }

  /** Code of the refusal, or the status. */
  async said(method: string, path: string, body?: object): Promise<string | number> {
    const { status, code } = await this.send(method, path, body);
    return code ?? status;
  }

  /** Enters a code or passkey at a step. */
  prove(proof: object): Promise<string | number> {
    return this.said('POST', '/session/factor', proof);
  }

  /** New passwords, of the own account. */
  changePassword(change: object): Promise<string | number> {
    return this.said('POST', '/session/password', change);
  }

  signIn(): ReturnType<Holder['send']> {
    return this.enter(this.email);
  }

  /** The second factor that a right password leads to. */
  async asked(): Promise<ConsoleFactorAsked> {
    const { factor } = (await this.signIn()).body;
    assert.ok(factor, 'a factor is asked for');
    return factor;
  }

  /** The code that an authenticator shows now. */
  code(steps = 0): string {
    return authenticatorCode(this.secret, service.now(), steps);
  }

  /** Sets TOTP up; returns the recovery codes. */
  async enrol(): Promise<readonly string[]> {
    const { step, secret, uri } = (await this.send('POST', '/session/factors/totp', {})).body;
    assert.equal(new URL(uri).searchParams.get('secret'), secret);
    this.secret = secret;
    const { body } = await this.send('POST', '/session/factors/totp/confirm', { step, code: this.code() });
    service.advance(30_000);
    return body.recovery_codes;
  }

  async factors(): Promise<ConsoleFactors> {
    return (await this.send('GET', '/session/factors')).body;
  }

  async offered(): Promise<{ readonly step: string; readonly options: { readonly challenge: string } }> {
    return (await this.send('POST', '/session/factors/passkeys/options', {})).body;
  }

  /** Registers a passkey. */
  async register(passkey: SoftPasskey, wrong?: object) {
    const { step, options } = await this.offered();
    const response = passkey.create(options, wrong);
    return await this.send('POST', '/session/factors/passkeys', { step, name: 'Laptop', response });
  }

  /** Has an operator require a second factor of the account, or not. */
  async require(requireFactor: boolean): Promise<void> {
    await change(this, { requireFactor });
    await eventually(async () => (await this.factors()).required === requireFactor);
  }
}

const change = ({ id }: { readonly id: string }, changes: AccountChanges): Promise<unknown> =>
  service.accounts.changeAccount(id, changes, { actor: 'cli', at: service.now() });

async function holder(name: string): Promise<Holder> {
  const email = `${name}@example.com`;
  const made = new Holder(email, (await service.account(email)).id);
  assert.equal((await made.signIn()).status, 200);
  return made;
}

const stepIn = ({ text }: { readonly text: string }): string => /name="step" value="([^"]+)"/.exec(text)?.[1] ?? '';

const amrOf = async (accountId: string): Promise<readonly string[]> =>
  (
    await service.db
      .selectFrom('sessions')
      .select('amr')
      .where('account_id', '=', accountId)
      .orderBy('created_at', 'desc')
      .execute()
  ).map(({ amr }) => amr);

test('TOTP: the password alone opens no session any more, a code does, and the session says how', async () => {
  const owner = await holder('totp');
  assert.deepEqual(await amrOf(owner.id), ['pwd']);
  const elsewhere = new Holder(owner.email, owner.id);
  await elsewhere.signIn();
  const codes = await owner.enrol();
  assert.equal(codes.length, 10);
  assert.equal(new Set(codes).size, 10);
  assert.match(codes[0]!, /^[0-9a-z]{4}(-[0-9a-z]{4}){3}$/);
  assert.equal(await elsewhere.said('GET', '/session'), 'sign_in_required', 'sessions of the password alone ended');
  assert.deepEqual(await amrOf(owner.id), ['pwd otp']);

  const again = new Holder(owner.email, owner.id);
  const first = await again.signIn();
  assert.equal(first.visit.headers.get('set-cookie'), null);
  assert.equal(await again.said('GET', '/session'), 'sign_in_required');
  const { factor } = first.body;
  assert.deepEqual(
    [factor.totp, factor.passkey, Date.parse(factor.expires_at) > service.now()],
    [true, undefined, true],
  );
  assert.equal(await again.prove({ step: factor.step, code: '000000' }), 'invalid_credentials');
  const entered = await again.send('POST', '/session/factor', { step: factor.step, code: owner.code() });
  assert.equal(entered.status, 200);
  assert.equal(await again.said('GET', '/session'), 200);
  assert.equal(await again.prove({ step: factor.step, code: owner.code(1) }), 'link_invalid', 'used steps end');
});

test('a code is good once, also at the same moment, and not after a later one', async () => {
  const owner = await holder('replay');
  await owner.enrol();
  const steps = await Promise.all([owner.asked(), owner.asked(), owner.asked()]);
  const code = owner.code();
  const answers = await Promise.all(
    steps.map(({ step }) => new Holder(owner.email, owner.id).send('POST', '/session/factor', { step, code })),
  );
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401]);
  const { step } = await owner.asked();
  assert.equal(await owner.prove({ step, code: owner.code(-1) }), 'invalid_credentials', 'an earlier one');
  assert.equal(await owner.prove({ step, code: owner.code(1) }), 200, 'the next one, half a minute early');
});

test('the secret is not in the database, and a copied row does not open', async () => {
  const owner = await holder('sealed');
  await owner.enrol();
  const thief = await holder('thief');
  const rows = await service.db.selectFrom('second_factors').selectAll().where('account_id', '=', owner.id).execute();
  assert.ok(!JSON.stringify(rows).includes(owner.secret));
  assert.match(rows[0]!.secret, /^v1\./);
  const codes = await service.db.selectFrom('recovery_codes').selectAll().where('account_id', '=', owner.id).execute();
  assert.deepEqual([codes.length, codes.every(({ hash }) => /^[\w-]{43}$/.test(hash))], [10, true]);
  await service.db
    .insertInto('second_factors')
    .values({ ...rows[0]!, id: 'fac_copied', account_id: thief.id })
    .execute();
  const { step } = await thief.asked();
  assert.equal((await thief.send('POST', '/session/factor', { step, code: owner.code() })).status, 500);
  assert.equal(service.faults.splice(0).length, 1);
});

test('recovery codes: each opens once, in any writing; new ones end the old', async () => {
  const owner = await holder('recovery');
  const [first = '', second = '', third = ''] = await owner.enrol();
  const use = async (code: string): Promise<number> =>
    (await owner.send('POST', '/session/factor', { step: (await owner.asked()).step, code })).status;
  assert.equal(await use(first), 200);
  assert.deepEqual((await amrOf(owner.id))[0], 'pwd recovery');
  assert.equal(await use(first), 401);
  assert.equal(await use(` ${second.toUpperCase().replaceAll('-', ' ')}`), 200);
  assert.equal((await owner.factors()).recovery_codes_left, 8);
  const { body } = await owner.send('POST', '/session/factors/recovery-codes', {});
  assert.equal(await use(third), 401);
  assert.equal(await use(body.recovery_codes[0]), 200);
  const stranger = await holder('stranger');
  assert.equal(
    await stranger.said('POST', '/session/factors/recovery-codes', {}),
    'bad_request',
    'they stand in for a factor',
  );
});

test('guessing is stopped: ten codes in 15 minutes, a hundred a day, and the right one is not taken after that', async () => {
  const owner = await holder('guessed');
  const codes = await owner.enrol();
  const { step } = await owner.asked();
  const guess = (code: string) => owner.send('POST', '/session/factor', { step, code });
  for (let tried = 0; tried < 10; tried += 1) assert.equal((await guess('123456')).code, 'invalid_credentials');
  const stopped = await guess(owner.code());
  assert.deepEqual([stopped.status, stopped.code], [429, 'rate_limited']);
  assert.equal((await guess(codes[0]!)).status, 200, 'recovery codes are counted apart');
  for (let window = 1; window < 10; window += 1) {
    service.advance(15 * MINUTE_MS + 1);
    const again = await owner.asked();
    const wrong = await Promise.all(
      Array.from({ length: 10 }, () => owner.send('POST', '/session/factor', { step: again.step, code: '123456' })),
    );
    assert.deepEqual(new Set(wrong.map(({ code }) => code)), new Set(['invalid_credentials']));
  }
  service.advance(15 * MINUTE_MS + 1);
  const later = await owner.asked();
  const spent = await owner.send('POST', '/session/factor', { step: later.step, code: owner.code() });
  assert.equal(spent.status, 429);
  assert.ok(Number(spent.visit.headers.get('retry-after')) > 20 * 3600);
});

test('a step ends after five minutes, and with a new password', async () => {
  const owner = await holder('steps');
  await owner.enrol();
  const late = await owner.asked();
  service.advance(5 * MINUTE_MS);
  assert.equal(await owner.prove({ step: late.step, code: owner.code() }), 'link_invalid');
  const changed = await owner.asked();
  const next = 'quite another password';
  assert.equal(await owner.changePassword({ current: PASSWORD, next }), 204);
  assert.equal(await owner.prove({ step: changed.step, code: owner.code() }), 'link_invalid');
});

test('a step of one kind or account is none of another', async () => {
  const [owner, other] = [await holder('kinds'), await holder('others')];
  const { step } = (await owner.send('POST', '/session/factors/totp', {})).body;
  assert.equal(await owner.prove({ step, code: '123456' }), 'link_invalid');
  assert.equal(await other.said('POST', '/session/factors/totp/confirm', { step, code: '123456' }), 'link_invalid');
  for (const wrong of [{}, { step: 5 }, { step: 'x', code: {} }, { step, passkey: 'x' }])
    assert.equal(await owner.prove(wrong), 'link_invalid');
});

test('an act that a stolen session must not do needs a proof of the last 15 minutes: 403 forbidden with the next step, and it works after confirming', async () => {
  const owner = await holder('fresh');
  await change(owner, { operator: true });
  await eventually(async () => (await owner.send('GET', '/operator/audit')).status === 200);
  const guarded = [
    ['POST', '/session/factors/totp', {}],
    ['POST', '/session/factors/totp/confirm', {}],
    ['POST', '/session/factors/passkeys/options', {}],
    ['POST', '/session/factors/passkeys', {}],
    ['POST', '/session/factors/recovery-codes', {}],
    ['PATCH', '/session/factors/id/fac_1', {}],
    ['DELETE', '/session/factors/id/fac_1', undefined],
    ['POST', '/session/password', { current: PASSWORD, next: 'quite another password' }],
    ['POST', '/keys', { name: 'for good' }],
    ['PATCH', `/operator/accounts/${owner.id}`, { plan: 'professional' }],
    ['POST', '/operator/feeds/x/refresh', {}],
    ['PATCH', '/operator/feeds/x', {}],
    ['POST', '/operator/feeds/x/accept', {}],
  ] as const;
  service.advance(15 * MINUTE_MS - 1000);
  assert.equal(await owner.said('PATCH', `/operator/accounts/${owner.id}`, { plan: 'enterprise' }), 200);
  service.advance(2000);
  for (const [method, path, body] of guarded) {
    const { status, code, next } = await owner.send(method, path, body);
    assert.deepEqual([status, code, next], [403, 'forbidden', 'confirm_identity'], path);
  }
  for (const path of ['/session', '/session/factors', '/operator/accounts', '/operator/audit'])
    assert.equal(await owner.said('GET', path), 200, path);
  assert.deepEqual((await owner.send('GET', '/operator/audit?after=1')).body, { entries: [] }, 'pages of the log end');
  assert.equal(await owner.said('GET', '/operator/audit?after=-1'), 'bad_request');
  assert.equal(await owner.said('POST', '/session/confirm', { password: 'not the one' }), 'invalid_credentials');
  assert.equal(await owner.said('PATCH', `/operator/accounts/${owner.id}`, { plan: 'free' }), 'forbidden');
  assert.equal(await owner.said('POST', '/session/confirm', { password: PASSWORD }), 204);
  assert.equal(await owner.said('PATCH', `/operator/accounts/${owner.id}`, { plan: 'free' }), 200);

  await owner.enrol();
  service.advance(16 * MINUTE_MS);
  const { factor } = (await owner.send('POST', '/session/confirm', { password: PASSWORD })).body;
  assert.equal(
    await owner.said('PATCH', `/operator/accounts/${owner.id}`, { plan: 'free' }),
    'forbidden',
    'the password alone is not enough now',
  );
  const confirmed = await owner.send('POST', '/session/factor', { step: factor.step, code: owner.code() });
  assert.deepEqual([confirmed.status, confirmed.visit.headers.get('set-cookie')], [204, null], 'no other session');
  assert.equal(await owner.said('PATCH', `/operator/accounts/${owner.id}`, { plan: 'free' }), 200);
});

test('an app is let in by a sign-in of the last 15 minutes alone: an older session asks for the password again', async () => {
  const { email } = await holder('app-fresh');
  const jar = new BrowserJar(service.baseUrl);
  const client = new OAuthClient(service.baseUrl);
  await client.consent(jar, email);
  service.advance(14 * MINUTE_MS);
  const consent = await jar.go(client.authorizeUrl());
  assert.match(consent.text, /value="approve"/);
  service.advance(2 * MINUTE_MS);
  const asked = await jar.submit(consent, 'approve');
  assert.ok(asked.text.includes('value="sign-in"') && asked.text.includes(`value="${email}"`), asked.text);
  assert.doesNotMatch((await jar.go(client.authorizeUrl())).text, /value="approve"/);
  const again = await jar.submit(asked, 'sign-in', { email, password: PASSWORD });
  assert.ok((await jar.submit(again, 'approve')).url.searchParams.has('code'));
});

test('where a factor is required, no app is let in without it, and apps of the time before are signed out', async () => {
  const owner = await holder('app-factor');
  const jar = new BrowserJar(service.baseUrl);
  const earlier = new OAuthClient(service.baseUrl);
  const tokens = await earlier.signIn(owner.email, jar);
  await owner.require(true);
  assert.equal(await callStatus(earlier.resource, tokens.access_token), 401);
  assert.equal((await earlier.refresh(tokens.refresh_token)).status, 400);

  await owner.require(false);
  const client = new OAuthClient(service.baseUrl);
  await client.register();
  const consent = await jar.go(client.authorizeUrl());
  assert.match(consent.text, /value="approve"/);
  await owner.require(true);
  for (const page of [await jar.submit(consent, 'approve'), await jar.go(client.authorizeUrl())]) {
    assert.equal(page.status, 403);
    assert.doesNotMatch(page.text, /value="approve"/);
  }
  await owner.enrol();
  const asked = await client.consent(jar, owner.email);
  const proved = await jar.submit(asked, 'factor', { step: stepIn(asked), code: owner.code(), passkey: 'no' });
  const { access_token } = await tokensOf(client.exchange(codeIn((await jar.submit(proved, 'approve')).url)));
  await owner.require(true);
  assert.equal(await callStatus(client.resource, access_token), 200, 'what was let in with a factor stays');
});

test('a new password ends the keys where its holder says so, and no others', async () => {
  const [owner, other] = [await holder('all-keys'), await holder('other-keys')];
  for (const one of [owner, other]) assert.equal(await one.said('POST', '/keys', { name: 'second' }), 201);
  const active = async ({ id }: Holder): Promise<number> =>
    (await service.accounts.keys(id)).filter(({ revokedAt }) => revokedAt === undefined).length;
  const next = 'quite another password';
  assert.equal(await owner.changePassword({ current: PASSWORD, next }), 204);
  assert.equal(await active(owner), 2);
  assert.equal(
    await owner.changePassword({ current: 'not the one', next: PASSWORD, revoke_keys: true }),
    'invalid_credentials',
  );
  assert.equal(await active(owner), 2);
  assert.equal(await owner.changePassword({ current: next, next: PASSWORD, revoke_keys: true }), 204);
  assert.deepEqual([await active(owner), await active(other)], [0, 2]);
});

test('an operator that must have a second factor reaches no operator page without one, and cannot give the last one up', async () => {
  const owner = await holder('required');
  await change(owner, { operator: true });
  await owner.require(true);
  const refused = await owner.send('GET', '/operator/accounts');
  assert.deepEqual([refused.status, refused.next], [403, 'set_up_second_factor']);
  await owner.enrol();
  assert.equal(await owner.said('GET', '/operator/accounts'), 200);
  const { totp, required } = await owner.factors();
  assert.equal(required, true);
  assert.equal(await owner.said('DELETE', `/session/factors/id/${totp!.id}`), 'forbidden');
  await owner.require(false);
  assert.equal(await owner.said('DELETE', `/session/factors/id/${totp!.id}`), 204);
  assert.deepEqual([(await owner.factors()).totp, (await owner.factors()).recovery_codes_left], [undefined, 0]);
  const audit = (await service.accounts.audit({ subject: owner.id, limit: 20 })).map(({ action }) => action);
  for (const action of ['factor.add', 'factor.recovery-codes', 'factor.remove'])
    assert.ok(audit.includes(action), action);
});

test('where a factor is required, no key is made without it, and keys from before go on sending evidence', async () => {
  const made = await service.account('keys@example.com');
  await change(made, { operator: true });
  // Keys are listed by the time they were made.
  service.advance(1);
  const { key } = await service.key({ accountId: made.id, name: 'sensor', evidence: 'addresses' });
  const owner = new Holder('keys@example.com', made.id);
  await owner.signIn();
  const send = async (): Promise<number> => {
    const headers = { 'content-type': 'application/x-ndjson', 'x-api-key': key };
    return (
      await fetch(`${service.url}/v1/evidence?source=own`, {
        method: 'POST',
        headers,
        body: '{"ip":"198.14.0.1","risk_type":"proxy"}\n',
      })
    ).status;
  };
  assert.equal(await owner.said('POST', '/keys', { name: 'before' }), 201);
  await owner.require(true);
  await eventually(async () => (await send()) === 202);
  const refused = await owner.send('POST', '/keys', { name: 'without a factor' });
  assert.deepEqual([refused.status, refused.next], [403, 'set_up_second_factor']);
  const { keys } = (await owner.send('GET', '/keys')).body;
  assert.deepEqual(
    keys.map(({ name }: { name: string }) => name),
    ['test', 'sensor', 'before'],
  );
  assert.equal(await owner.said('DELETE', `/keys/${keys[2].id}`), 204, 'what ends access needs no factor');
  await owner.enrol();
  assert.equal(await owner.said('POST', '/keys', { name: 'with one' }), 201);
});

test('passkeys: registered, listed, renamed, used instead of a code, removed', async () => {
  const owner = await holder('passkey');
  const passkey = new SoftPasskey(service.baseUrl);
  const made = await owner.register(passkey);
  assert.equal(made.status, 200, made.visit.text);
  assert.equal(made.body.recovery_codes.length, 10);
  assert.deepEqual(await amrOf(owner.id), ['pwd pop']);
  const [listed] = (await owner.factors()).passkeys;
  assert.equal(listed?.name, 'Laptop');
  assert.equal(await owner.said('PATCH', `/session/factors/id/${listed.id}`, { name: 'Desk' }), 204);
  assert.equal((await owner.factors()).passkeys[0]?.name, 'Desk');
  const asked = await owner.asked();
  const options = asked.passkey as { challenge: string } & Record<'userVerification' | 'rpId', string> & {
      allowCredentials: { id: string }[];
    };
  assert.deepEqual([asked.totp, options.rpId, options.userVerification], [false, 'localhost', 'required']);
  const ids = options.allowCredentials.map(({ id }) => id);
  assert.deepEqual(ids, [passkey.id.toString('base64url')]);
  const response = passkey.get(options, { counter: 2 });
  assert.equal(await owner.prove({ step: asked.step, passkey: response }), 200);
  assert.equal((await amrOf(owner.id))[0], 'pwd pop');
  assert.equal(await owner.prove({ step: asked.step, passkey: response }), 'link_invalid');
  const stranger = await holder('passkey-stranger');
  assert.equal(await stranger.said('DELETE', `/session/factors/id/${listed.id}`), 'not_found');
  assert.equal(await stranger.said('PATCH', `/session/factors/id/${listed.id}`, { name: 'Mine' }), 'not_found');
  assert.equal((await stranger.register(passkey)).code, 'bad_request', 'one credential, one account');
  assert.equal(await owner.said('DELETE', `/session/factors/id/${listed.id}`), 204);
  assert.equal(
    (await new Holder(owner.email, owner.id).signIn()).visit.headers.get('set-cookie')?.startsWith('pulse_session='),
    true,
    'no factor is left',
  );
});

test('a passkey is refused that belongs to another site, saw no person, was copied, answers an old challenge or is not this account’s', async () => {
  const owner = await holder('strict');
  const passkey = new SoftPasskey(service.baseUrl);
  for (const wrong of [{ origin: 'https://evil.example' }, { rpId: 'evil.example' }, { userVerified: false }])
    assert.equal((await owner.register(passkey, wrong)).code, 'invalid_credentials');
  const { step: first, options: old } = await owner.offered();
  const answered = (step: string, response: unknown, name: unknown = 'x') =>
    owner.said('POST', '/session/factors/passkeys', { step, name, response });
  for (const name of ['', 'x'.repeat(61), 'a\u0007b', 5]) assert.equal(await answered(first, {}, name), 'bad_request');
  for (const response of [
    passkey.create(old),
    undefined,
    null,
    'x',
    {},
    { id: 'x' },
    { id: 'AAAA', rawId: 'AAAA', type: 'public-key', response: { clientDataJSON: '!', attestationObject: 5 } },
  ])
    assert.equal(
      await answered((await owner.offered()).step, response),
      'invalid_credentials',
      JSON.stringify(response),
    );
  assert.equal((await owner.register(passkey)).status, 200);

  const earlier = (await owner.asked()).passkey as { challenge: string };
  const foreign = new SoftPasskey(service.baseUrl);
  const { step, passkey: given } = await owner.asked();
  const options = given as { challenge: string };
  const refused = {
    'another site': passkey.get(options, { origin: 'https://evil.example', counter: 2 }),
    'another relying party': passkey.get(options, { rpId: 'evil.example', counter: 2 }),
    'no person': passkey.get(options, { userVerified: false, counter: 2 }),
    'the counter stands still': passkey.get(options, { counter: 1 }),
    'an old challenge': passkey.get(earlier, { counter: 2 }),
    'another key': {
      ...foreign.get(options, { counter: 2 }),
      id: passkey.id.toString('base64url'),
      rawId: passkey.id.toString('base64url'),
    },
    'unknown credential': foreign.get(options, { counter: 2 }),
    'no object': 'x',
  };
  for (const [why, response] of Object.entries(refused))
    assert.equal(await owner.prove({ step, passkey: response }), 'invalid_credentials', why);
  assert.equal(await owner.prove({ step, passkey: passkey.get(options, { counter: 2 }) }), 200);
});

for (const [prefix, words] of [
  ['', ['两步验证', '验证码不正确、已过期或已使用。', '操作超时，请重新输入密码。', '改用通行密钥登录']],
  ['/en', ['Second factor', 'The code is wrong', 'This took too long', 'Sign in with a passkey instead']],
] as const)
  test(`the OAuth sign-in ${prefix} asks for the factor between password and consent`, async () => {
    const owner = await holder(`oauth${prefix.slice(1)}`);
    await owner.enrol();
    const client = new OAuthClient(service.baseUrl, { prefix });
    const jar = new BrowserJar(service.baseUrl);
    let page = await client.consent(jar, owner.email);
    assert.ok(
      page.text.includes(words[0]) && !page.text.includes(words[3]) && !page.text.includes('value="approve"'),
      page.text,
    );
    assert.equal(jar.cookieNames.includes('pulse_session'), false);
    page = await jar.submit(page, 'factor', { step: stepIn(page), code: '000000', passkey: 'no' });
    assert.deepEqual([page.status, page.text.includes(words[1])], [401, true]);
    const good = page;
    const lost = await jar.submit(page, 'factor', { step: 'x', code: owner.code(), passkey: 'no' });
    assert.deepEqual(
      [lost.status, lost.text.includes(words[2]), lost.text.includes('value="sign-in"')],
      [400, true, true],
    );
    page = await jar.submit(good, 'factor', { step: stepIn(page), code: owner.code(), passkey: 'no' });
    assert.ok(page.text.includes('value="approve"'), page.text);
    assert.ok((await jar.submit(page, 'approve')).url.searchParams.get('code'));

    await owner.register(new SoftPasskey(service.baseUrl));
    const asked = await client.consent(new BrowserJar(service.baseUrl), owner.email);
    assert.ok(asked.text.includes(words[3]));
    const way = new URL(/href="([^"]*sign-in\?next=[^"]*)"/.exec(asked.text)![1]!, service.baseUrl);
    assert.equal(way.pathname, `${prefix}/console/sign-in`);
    assert.equal(way.searchParams.get('next'), asked.url.pathname);
  });
