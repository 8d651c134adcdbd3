/** PULSE_SIGNUP: who may make an account, and the rights of an account whose address is not proved. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { SqlSignInStore } from '../../src/adapters/sign-in/sql-sign-in-store.ts';
import { unixMs } from '../../src/core/units.ts';
import { firstOperatorLink } from '../../src/service/sign-in/sign-in.ts';
import { BrowserJar, type Connection } from '../support/browser-jar.ts';
import { eventually } from '../support/eventually.ts';
import { PASSWORD, startMcpService, type TestService } from '../support/mcp-service.ts';
import { callStatus, OAuthClient } from '../support/oauth-client.ts';

/** Nothing listens there: unsent mail is not looked at here. */
const NO_MAIL = 'smtp://127.0.0.1:9';
let off: TestService;
let open: TestService;
let mail: TestService;
before(async () => {
  off = await startMcpService({ signup: 'off', anonPerDay: 0 });
  open = await startMcpService({ signup: 'open', smtpUrl: NO_MAIL });
  mail = await startMcpService({ signup: 'mail', smtpUrl: NO_MAIL });
});
after(async () => {
  for (const service of [off, open, mail]) await service.close();
});

const send = (jar: BrowserJar, path: string, body: object): Promise<Connection> =>
  jar.post(`/console/api/session${path}`, body);
const errorOf = (visit: Connection): { code: string; message: string } => JSON.parse(visit.text).error;
const by = () => ({ actor: 'cli', at: unixMs(Date.now()) }) as const;

test('off: the console refuses a sign-up, makes nothing, and a right sign-in works', async () => {
  const jar = new BrowserJar(off.url);
  const refused = await send(jar, '/sign-up', { email: 'new@example.com', password: PASSWORD });
  assert.deepEqual([refused.status, errorOf(refused).code], [403, 'forbidden']);
  assert.match(errorOf(refused).message, /operator/);
  assert.equal(errorOf(await send(jar, '/verify', { token: 'x'.repeat(43), password: PASSWORD })).code, 'forbidden');
  assert.deepEqual(await off.accounts.accounts(), []);
  await off.account('known@example.com');
  assert.equal((await send(jar, '/sign-in', { email: 'known@example.com', password: PASSWORD })).status, 200);
});

test('off: the sign-in page of an app says so in both languages, and its sign-up is refused', async () => {
  for (const [prefix, sentence] of [
    ['', '本服务未开放注册'],
    ['/en', 'This service takes no sign-ups'],
  ] as const) {
    const client = new OAuthClient(off.baseUrl, { prefix });
    await client.register();
    const jar = new BrowserJar(off.url);
    const page = await jar.go(client.authorizeUrl());
    assert.ok(page.text.includes(sentence) && !page.text.includes('/sign-up"'), page.text);
    const form = await jar.request(`${page.url.pathname}/sign-up`);
    assert.ok(form.text.includes(sentence) && !form.text.includes('name="password"'), form.text);
    const sent = await jar.submit(page, 'sign-up', { email: 'x@example.com', password: PASSWORD });
    assert.equal(sent.status, 403);
    assert.ok(sent.text.includes(sentence), sent.text);
  }
  assert.ok((await off.accounts.accounts()).every(({ email }) => email !== 'x@example.com'));
});

test('off: refusals and llms.txt name no page to sign up', async () => {
  const answer = await fetch(`${off.url}/v1/ip/8.8.8.8`);
  const { error } = (await answer.json()) as { error: Record<string, unknown> };
  assert.deepEqual([error['code'], 'signup_url' in error], ['quota_exceeded_anon', false]);
  assert.match(String(error['next_step']), /operator/);
  assert.doesNotMatch(await (await fetch(`${off.url}/llms.txt`)).text(), /sign-up/);
  assert.match(await (await fetch(`${open.url}/llms.txt`)).text(), /sign-up/);
});

test('open: an account is there at once, also where mail could be sent, and is shown as not proved', async () => {
  const jar = new BrowserJar(open.url);
  const made = await send(jar, '/sign-up', { email: 'quick@example.com', password: PASSWORD });
  assert.deepEqual([made.status, JSON.parse(made.text).account.verified], [200, false]);
  const { id } = await open.account('vouched@example.com');
  assert.equal(typeof (await open.accounts.account(id))?.verifiedAt, 'number', 'an operator vouches for them');
});

test('mail: an account that is not proved can do nothing until it is', async () => {
  const { id, key } = await mail.account('unproved@example.com');
  const tokens = await new OAuthClient(mail.baseUrl).signIn('unproved@example.com');
  const jar = new BrowserJar(mail.url);
  const look = async (): Promise<string> => {
    const answer = await fetch(`${mail.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': key } });
    return answer.status === 200 ? 'ok' : ((await answer.json()) as { error: { code: string } }).error.code;
  };
  const signIn = () => send(jar, '/sign-in', { email: 'unproved@example.com', password: PASSWORD });
  assert.deepEqual([await look(), (await signIn()).status], ['ok', 200]);
  await mail.accounts.changeAccount(id, { verified: false }, by());
  await eventually(async () => (await look()) === 'revoked_key');
  assert.equal((await jar.request('/console/api/session')).status, 401);
  assert.equal(await callStatus(`${mail.url}/mcp/account`, tokens.access_token), 401);
  const refused = await signIn();
  assert.deepEqual(
    [refused.status, errorOf(refused).code, refused.headers.get('set-cookie')],
    [403, 'forbidden', null],
  );
  assert.match(errorOf(refused).message, /proved/);
  const wrong = await send(jar, '/sign-in', { email: 'unproved@example.com', password: 'not the right one' });
  assert.equal(errorOf(wrong).code, 'invalid_credentials', 'a stranger does not learn of the account');
  await mail.accounts.changeAccount(id, { verified: true }, by());
  await eventually(async () => (await look()) === 'ok');
  assert.equal((await signIn()).status, 200);
});

test('mail: an account of the time when sign-up was open is proved by a new password, at once', async () => {
  const { id, key } = await mail.account('earlier@example.com');
  await mail.accounts.changeAccount(id, { verified: false }, by());
  await eventually(
    async () => (await fetch(`${mail.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': key } })).status === 401,
  );
  const secret = 'a'.repeat(43);
  const link = createHash('sha256').update(`reset:${secret}`).digest('base64url');
  const row = {
    id: link,
    purpose: 'reset',
    email: 'earlier@example.com',
    payload: JSON.stringify({ accountId: id }),
    created_at: 1,
    expires_at: Date.now() + 60_000,
  };
  await mail.db.insertInto('mail_links').values(row).execute();
  const jar = new BrowserJar(mail.url);
  assert.equal((await send(jar, '/reset', { token: secret, password: 'a wholly new one' })).status, 200);
  assert.equal((await jar.request('/console/api/session')).status, 200);
  assert.equal((await fetch(`${mail.url}/v1/ip/8.8.8.8`, { headers: { 'X-API-Key': key } })).status, 200);
});

test('the first operator follows the printed link, good once and for a day, and only while there is no operator; sign-up may be off', async () => {
  const service = await startMcpService({ signup: 'off' });
  try {
    const links = new SqlSignInStore(service.db);
    const tokenOf = async (at: number) => (await firstOperatorLink(links, unixMs(at))).fragment.replace('#token=', '');
    const follow = (token: string, email: string, password = PASSWORD): Promise<Connection> =>
      send(new BrowserJar(service.url), '/operator', { token, email, password });
    const codeOf = async (visit: Promise<Connection>): Promise<string> => errorOf(await visit).code;
    const expired = await tokenOf(service.now() - 24 * 3_600_000);
    assert.equal(await codeOf(follow(expired, 'op@example.com')), 'link_invalid');
    const replaced = await tokenOf(service.now());
    const token = await tokenOf(service.now());
    assert.equal(
      (await service.db.selectFrom('mail_links').selectAll().execute()).some((row) =>
        JSON.stringify(row).includes(token),
      ),
      false,
      'kept as a hash',
    );
    for (const wrong of ['', 'x'.repeat(43), replaced])
      assert.equal(await codeOf(follow(wrong, 'op@example.com')), 'link_invalid');
    await service.account('taken@example.com');
    assert.equal(await codeOf(follow(token, 'taken@example.com')), 'email_taken');
    assert.equal(await codeOf(follow(token, 'op@example.com', 'short')), 'weak_password');
    assert.equal(await codeOf(follow(token, 'no address')), 'bad_request');
    const both = await Promise.all(['one@example.com', 'two@example.com'].map((email) => follow(token, email)));
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 400]);
    const [operator, ...more] = (await service.accounts.accounts()).filter((one) => one.operator);
    assert.deepEqual(
      [more, operator?.plan, operator?.dpa, operator?.phone, operator?.verifiedAt !== undefined],
      [[], 'private', true, true, true],
    );
    const late = await tokenOf(service.now());
    assert.equal(await codeOf(follow(late, 'three@example.com')), 'link_invalid', 'there is an operator');
  } finally {
    await service.close();
  }
});
